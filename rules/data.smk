# Raw data -> prepared data -> splits. Data are shared by all runs; splits belong to a run.


# Nodes of a cluster often have no network.
localrules:
    fetch,


rule fetch:
    """Make a data set available, or note why it is unavailable."""
    input:
        file=lambda w: commands.fetch_files(holder(w.dataset), w.dataset),
    output:
        note="results/data/{dataset}.fetch.json",
    params:
        source=lambda w: commands.fetch_source(holder(w.dataset), w.dataset),
        attempt=lambda w: commands.fetch_attempt(holder(w.dataset), w.dataset, STRICT),
        strict="--strict" if STRICT else "",
        code=MAIN.code("fetch"),
    log:
        "results/logs/fetch/{dataset}.log",
    benchmark:
        "results/benchmarks/fetch/{dataset}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=120,
    shell:
        "python -m metriclearn fetch {params.source} {output.note} {params.strict}"
        " --attempt {params.attempt} 2> {log}"


rule prepare:
    """The canonical data set as one npz."""
    input:
        note="results/data/{dataset}.fetch.json",
        file=lambda w: commands.fetch_files(holder(w.dataset), w.dataset),
    output:
        data="results/data/{dataset}.npz",
    params:
        code=MAIN.code("prepare"),
    log:
        "results/logs/prepare/{dataset}.log",
    benchmark:
        "results/benchmarks/prepare/{dataset}.tsv"
    conda:
        "../environment.yml"
    group:
        "data"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * 2000,
        runtime=lambda w, attempt: attempt * 15,
    shell:
        "python -m metriclearn prepare {input.note} {output.data} 2> {log}"


rule split:
    """The folds of every repetition, shared by all methods."""
    input:
        data="results/data/{dataset}.npz",
    output:
        split="results/{run}/splits/{dataset}.npz",
    params:
        arguments=lambda w: commands.job_arguments(run_of(w.run)),
        protocol=lambda w: {key: run_of(w.run).protocol[key] for key in ("repeats", "repeats_large", "folds", "seed")},
        code=MAIN.code("split"),
    log:
        "results/{run}/logs/split/{dataset}.log",
    benchmark:
        "results/{run}/benchmarks/split/{dataset}.tsv"
    conda:
        "../environment.yml"
    group:
        "data"
    threads: 1
    resources:
        mem_mb=1000,
        runtime=lambda w, attempt: attempt * 5,
    shell:
        "python -m metriclearn split {params.arguments} data={input.data} out={output.split}"
        " 2> {log}"
