# Faces and persons: images -> features -> comparison, one job per feature and method.
from metriclearn.experiment.budget import match_group, match_minutes


localrules:
    fetch_images,


rule fetch_images:
    """Make an image set available, or note why it is unavailable."""
    output:
        note="results/images/{images}.fetch.json",
    params:
        attempt=lambda w: commands.fetch_images_attempt(MAIN, w.images, STRICT),
        strict="--strict" if STRICT else "",
        code=lambda w: image_code("fetch", w.images),
    log:
        "results/logs/fetch/{images}.log",
    benchmark:
        "results/benchmarks/fetch/{images}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=2000,
        runtime=240,
    shell:
        "python -m metriclearn fetch {wildcards.images} {output.note} {params.strict}"
        " --attempt {params.attempt} 2> {log}"


rule extract:
    """The features of an image set, before any learning."""
    input:
        note="results/images/{images}.fetch.json",
    output:
        features="results/images/{images}-{feature}.npz",
    params:
        recipe=lambda w: load_image_spec(w.images).recipe(w.feature),
        code=lambda w: image_code("extract", w.images, w.feature),
    log:
        "results/logs/extract/{images}-{feature}.log",
    benchmark:
        "results/benchmarks/extract/{images}-{feature}.tsv"
    conda:
        "../environment.yml"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * 4000,
        runtime=lambda w, attempt: attempt * 120,
    shell:
        "python -m metriclearn extract {wildcards.images} {wildcards.feature} {output.features}"
        " --note {input.note} 2> {log}"


rule match:
    """Learn and compare pairs on the folds or partitions of one image set."""
    input:
        features=lambda w: MAIN.matches.features(w.images, w.feature),
    output:
        rows="results/{run}/match/{images}-{feature}/{method}.rows.csv",
        times="results/{run}/match/{images}-{feature}/{method}.times.csv",
        curve="results/{run}/match/{images}-{feature}/{method}.curve.csv",
    params:
        arguments=lambda w: commands.match_arguments(
            run_of(w.run), w.images, w.feature, w.method
        ),
        job=lambda w: run_of(w.run).matches.job(w.images, w.feature, w.method),
        code=lambda w: run_of(w.run).code("match", w.method),
    log:
        "results/{run}/logs/match/{images}-{feature}/{method}.log",
    benchmark:
        "results/{run}/benchmarks/match/{images}-{feature}/{method}.tsv"
    conda:
        "../environment.yml"
    group:
        lambda w: match_group(w.images)
    threads: lambda w: run_of(w.run).matches.compose(w.method)["matching"]["threads"]
    resources:
        mem_mb=lambda w, attempt: attempt * 3000,
        runtime=lambda w, attempt: match_minutes(
            w.images, run_of(w.run).matches.compose(w.method)["matching"], attempt
        ),
    shell:
        "python -m metriclearn match {params.arguments} out={output.rows} 2> {log}"
