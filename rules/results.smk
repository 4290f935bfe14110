# Rows of all jobs -> tables and figures -> one page.


rule collect:
    """All rows of a group of data sets, or of all image sets, in one csv; times in another."""
    input:
        rows=lambda w: run_of(w.run).group_rows(None if w.group == "all" else w.group),
    output:
        rows="results/{run}/{group}.rows.csv",
        times="results/{run}/{group}.times.csv",
    params:
        run=lambda w: run_of(w.run).command(),
        code=MAIN.code("collect"),
    log:
        "results/{run}/logs/collect/{group}.log",
    benchmark:
        "results/{run}/benchmarks/collect/{group}.tsv"
    conda:
        "../environment.yml"
    group:
        "results"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * 1000,
        runtime=lambda w, attempt: attempt * 15,
    shell:
        "python -m metriclearn.collect {wildcards.group} {params.run} 2> {log}"


rule table:
    """One table, beside the paper's numbers."""
    input:
        data=lambda w: run_of(w.run).table_data(w.item),
        splits=lambda w: run_of(w.run).table_splits(w.item),
        rows=lambda w: run_of(w.run).table_rows(w.item),
    output:
        csv=report(
            "results/{run}/tables/{item}.csv",
            caption="captions/table.rst",
            category="Tables",
            labels={"table": "{item}", "file": "csv"},
        ),
        md="results/{run}/tables/{item}.md",
        tex="results/{run}/tables/{item}.tex",
    params:
        run=lambda w: run_of(w.run).command(),
        item=lambda w: run_of(w.run).table_config(w.item),
        code=MAIN.code("tables"),
    log:
        "results/{run}/logs/tables/{item}.log",
    benchmark:
        "results/{run}/benchmarks/tables/{item}.tsv"
    conda:
        "../environment.yml"
    group:
        "results"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * 1000,
        runtime=lambda w, attempt: attempt * 15,
    shell:
        "python -m metriclearn.tables {wildcards.item} {params.run} 2> {log}"


rule figure:
    """One figure, with the csv it is drawn from."""
    input:
        data=lambda w: run_of(w.run).figure_data(w.item),
        rows=lambda w: run_of(w.run).figure_rows(w.item),
    output:
        csv="figures/{run}/{item}.csv",
        svg=report(
            "figures/{run}/{item}.svg",
            caption="captions/figure.rst",
            category="Figures",
            labels={"figure": "{item}", "file": "svg"},
        ),
        pdf="figures/{run}/{item}.pdf",
        png="figures/{run}/{item}.png",
    params:
        run=lambda w: run_of(w.run).command(),
        item=lambda w: run_of(w.run).figure_config(w.item),
        code=MAIN.code("figures"),
    log:
        "results/{run}/logs/figures/{item}.log",
    benchmark:
        "results/{run}/benchmarks/figures/{item}.tsv"
    conda:
        "../environment.yml"
    group:
        "results"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * 1000,
        runtime=lambda w, attempt: attempt * 15,
    shell:
        "python -m metriclearn.figures {wildcards.item} {params.run} 2> {log}"


rule page:
    """The report: all tables and figures on one page that opens anywhere."""
    input:
        parts=lambda w: run_of(w.run).report_parts(),
        notes=lambda w: run_of(w.run).report_notes(),
    output:
        html=report(
            "results/{run}/report.html",
            caption="captions/page.rst",
            category="Page",
            labels={"page": "{run}"},
        ),
    params:
        run=lambda w: run_of(w.run).command(),
        look=lambda w: run_of(w.run).report_config(),
        code=MAIN.code("report"),
    log:
        "results/{run}/logs/report.log",
    benchmark:
        "results/{run}/benchmarks/report.tsv"
    conda:
        "../environment.yml"
    group:
        "results"
    threads: 1
    resources:
        mem_mb=lambda w, attempt: attempt * 1000,
        runtime=lambda w, attempt: attempt * 15,
    shell:
        "python -m metriclearn.report {params.run} 2> {log}"
