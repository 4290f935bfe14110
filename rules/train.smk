# Training and scoring: one job per data set and method, repetitions and folds inside.
from metriclearn.experiment.budget import grid_minutes, train_group, train_memory, train_minutes
from metriclearn.experiment.config import repetitions


rule train:
    """Tune, fit and score the folds of one repetition, or of a few."""
    input:
        data="results/data/{dataset}.npz",
        split="results/{run}/splits/{dataset}.npz",
    output:
        rows="results/{run}/train/{dataset}/{method}/repeat{repeat}.rows.csv",
        times="results/{run}/train/{dataset}/{method}/repeat{repeat}.times.csv",
    params:
        arguments=lambda w: commands.job_arguments(run_of(w.run), w.dataset, w.method),
        job=lambda w: run_of(w.run).job(w.dataset, w.method),
        code=lambda w: run_of(w.run).code("train", w.method),
    log:
        "results/{run}/logs/train/{dataset}/{method}/repeat{repeat}.log",
    benchmark:
        "results/{run}/benchmarks/train/{dataset}/{method}/repeat{repeat}.tsv"
    conda:
        "../environment.yml"
    group:
        lambda w: train_group(run_of(w.run).datasets[w.dataset])
    threads: lambda w: run_of(w.run).protocol["threads"]
    resources:
        mem_mb=lambda w, attempt: attempt * train_memory(run_of(w.run).datasets[w.dataset]),
        runtime=lambda w, attempt: train_minutes(
            run_of(w.run).datasets[w.dataset],
            run_of(w.run).protocol,
            len(repetitions(w.repeat)),
            attempt,
        ),
    shell:
        "python -m metriclearn train {params.arguments} repeat={wildcards.repeat}"
        " data={input.data} split={input.split} out={output.rows} 2> {log}"


rule grid:
    """Score every candidate on the test parts, as the paper seems to have chosen parameters."""
    input:
        data="results/data/{dataset}.npz",
        split="results/{run}/splits/{dataset}.npz",
    output:
        rows="results/{run}/grid/{dataset}/{method}/repeat{repeat}.rows.csv",
        times="results/{run}/grid/{dataset}/{method}/repeat{repeat}.times.csv",
    params:
        arguments=lambda w: commands.job_arguments(run_of(w.run), w.dataset, w.method),
        job=lambda w: run_of(w.run).side.grid_job(w.dataset, w.method),
        code=lambda w: run_of(w.run).code("grid", w.method),
    log:
        "results/{run}/logs/grid/{dataset}/{method}/repeat{repeat}.log",
    benchmark:
        "results/{run}/benchmarks/grid/{dataset}/{method}/repeat{repeat}.tsv"
    conda:
        "../environment.yml"
    group:
        lambda w: train_group(run_of(w.run).datasets[w.dataset])
    threads: lambda w: run_of(w.run).protocol["threads"]
    resources:
        mem_mb=lambda w, attempt: attempt * train_memory(run_of(w.run).datasets[w.dataset]),
        runtime=lambda w, attempt: grid_minutes(
            run_of(w.run).datasets[w.dataset],
            run_of(w.run).protocol,
            run_of(w.run).method(w.method),
            len(repetitions(w.repeat)),
            attempt,
        ),
    shell:
        "python -m metriclearn grid {params.arguments} repeat={wildcards.repeat}"
        " data={input.data} split={input.split} out={output.rows} 2> {log}"


rule timing:
    """Time all methods on one data set, with nothing beside it on the machine."""
    input:
        data="results/data/{dataset}.npz",
        split="results/{run}/splits/{dataset}.npz",
    output:
        rows="results/{run}/timing/{dataset}.rows.csv",
        times="results/{run}/timing/{dataset}.times.csv",
    params:
        run=lambda w: commands.run_options(run_of(w.run)),
        job=lambda w: run_of(w.run).side.timing_config(w.dataset),
        code=lambda w: [run_of(w.run).code("timing", m) for m in run_of(w.run).methods],
    log:
        "results/{run}/logs/timing/{dataset}.log",
    benchmark:
        "results/{run}/benchmarks/timing/{dataset}.tsv"
    conda:
        "../environment.yml"
    threads: ALL_CORES  # nothing beside it; the job itself uses one
    resources:
        mem_mb=lambda w, attempt: attempt * train_memory(run_of(w.run).datasets[w.dataset]),
        runtime=lambda w, attempt: attempt * 240,
        slurm_extra="--exclusive",  # and all of a node
    shell:
        "python -m metriclearn timing {wildcards.dataset} {params.run} 2> {log}"


rule sweep:
    """One setting over several values, for a figure."""
    input:
        data=lambda w: run_of(w.run).item_data(w.item),
        split=lambda w: run_of(w.run).item_split(w.item),
    output:
        rows="results/{run}/sweep/{item}/{method}.rows.csv",
        times="results/{run}/sweep/{item}/{method}.times.csv",
    params:
        arguments=lambda w: commands.item_arguments(run_of(w.run), w.item, w.method),
        job=lambda w: run_of(w.run).item_config(w.item, w.method),
        code=lambda w: run_of(w.run).code("sweep", w.method),
    log:
        "results/{run}/logs/sweep/{item}/{method}.log",
    benchmark:
        "results/{run}/benchmarks/sweep/{item}/{method}.tsv"
    conda:
        "../environment.yml"
    threads: lambda w: run_of(w.run).protocol["threads"]
    resources:
        mem_mb=lambda w, attempt: attempt * 2000,
        runtime=lambda w, attempt: attempt * 240,
    shell:
        "python -m metriclearn sweep {params.arguments} item={wildcards.item}"
        " data={input.data} split={input.split} out={output.rows} 2> {log}"


rule gap:
    """The duality gap per iteration, for a figure."""
    input:
        data=lambda w: run_of(w.run).item_data(w.item),
        split=lambda w: run_of(w.run).item_split(w.item),
    output:
        rows="results/{run}/gap/{item}/{method}.rows.csv",
    params:
        arguments=lambda w: commands.item_arguments(run_of(w.run), w.item, w.method),
        job=lambda w: run_of(w.run).item_config(w.item, w.method),
        code=lambda w: run_of(w.run).code("gap", w.method),
    log:
        "results/{run}/logs/gap/{item}/{method}.log",
    benchmark:
        "results/{run}/benchmarks/gap/{item}/{method}.tsv"
    conda:
        "../environment.yml"
    threads: lambda w: run_of(w.run).protocol["threads"]
    resources:
        mem_mb=lambda w, attempt: attempt * 4000,
        runtime=lambda w, attempt: attempt * 120,
    shell:
        "python -m metriclearn gap {params.arguments} item={wildcards.item}"
        " data={input.data} split={input.split} out={output.rows} 2> {log}"


rule stopping:
    """The paper's stopping rule against a certified gap, for the table of that name."""
    input:
        data="results/data/{dataset}.npz",
        split="results/{run}/splits/{dataset}.npz",
    output:
        rows="results/{run}/stopping/{item}/{dataset}/{method}.rows.csv",
        times="results/{run}/stopping/{item}/{dataset}/{method}.times.csv",
    params:
        arguments=lambda w: commands.job_arguments(run_of(w.run), w.dataset, w.method),
        job=lambda w: run_of(w.run).ablations.stopping_config(w.item, w.dataset, w.method),
        code=lambda w: run_of(w.run).code("stopping", w.method),
    log:
        "results/{run}/logs/stopping/{item}/{dataset}/{method}.log",
    benchmark:
        "results/{run}/benchmarks/stopping/{item}/{dataset}/{method}.tsv"
    conda:
        "../environment.yml"
    threads: lambda w: run_of(w.run).protocol["threads"]
    resources:
        mem_mb=lambda w, attempt: attempt * 2000,
        runtime=lambda w, attempt: attempt * 240,
    shell:
        "python -m metriclearn stopping {params.arguments} item={wildcards.item}"
        " data={input.data} split={input.split} out={output.rows} 2> {log}"


rule variants:
    """The variants of an ablation table on one data set, as far as no other job has them."""
    input:
        data="results/data/{dataset}.npz",
        split="results/{run}/splits/{dataset}.npz",
    output:
        rows="results/{run}/variants/{item}/{dataset}.rows.csv",
        times="results/{run}/variants/{item}/{dataset}.times.csv",
    params:
        run=lambda w: commands.run_options(run_of(w.run)),
        jobs=lambda w: run_of(w.run).ablations.variants_config(w.item, w.dataset),
        code=lambda w: run_of(w.run).ablations.code(w.item, w.dataset),
    log:
        "results/{run}/logs/variants/{item}/{dataset}.log",
    benchmark:
        "results/{run}/benchmarks/variants/{item}/{dataset}.tsv"
    conda:
        "../environment.yml"
    group:
        lambda w: train_group(run_of(w.run).datasets[w.dataset])
    threads: lambda w: run_of(w.run).protocol["threads"]
    resources:
        mem_mb=lambda w, attempt: attempt * train_memory(run_of(w.run).datasets[w.dataset]),
        runtime=lambda w, attempt: train_minutes(
            run_of(w.run).datasets[w.dataset],
            run_of(w.run).protocol,
            run_of(w.run).ablations.repetitions(w.item, w.dataset),
            attempt,
        ),
    shell:
        "python -m metriclearn variants {wildcards.item} {wildcards.dataset} {params.run} 2> {log}"
