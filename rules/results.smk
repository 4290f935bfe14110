# Rows of all jobs -> tables and figures -> one page.


rule collect:
    """All rows of a group of data sets in one csv, times in another, what the data are in a third."""
    input:
        rows=lambda w: run_of(w.run).source_files(w.group),
        data=lambda w: run_of(w.run).group_data(w.group),
        splits=lambda w: run_of(w.run).group_splits(w.group),
    output:
        rows="results/{run}/{group}.rows.csv",
        times="results/{run}/{group}.times.csv",
        data="results/{run}/{group}.data.csv",
    wildcard_constraints:
        group="uci|digits|own",
    params:
        run=lambda w: commands.run_options(run_of(w.run)),
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
        "python -m metriclearn collect {wildcards.group} {params.run} 2> {log}"


use rule collect as collect_images with:
    input:
        rows=lambda w: run_of(w.run).source_files(w.group),
    output:
        rows="results/{run}/{group}.rows.csv",
        times="results/{run}/{group}.times.csv",
        curve="results/{run}/{group}.curve.csv",
    wildcard_constraints:
        group=one_of(MAIN.matches.images()),


use rule collect as collect_ablation with:
    input:
        rows=lambda w: run_of(w.run).source_files(w.group),
    output:
        rows="results/{run}/{group}.rows.csv",
        times="results/{run}/{group}.times.csv",
    wildcard_constraints:
        group=one_of(ABLATIONS),


use rule collect as collect_side with:
    input:
        rows=lambda w: run_of(w.run).group_rows(w.group),
    output:
        rows="results/{run}/{group}.rows.csv",
        times="results/{run}/{group}.times.csv",
    wildcard_constraints:
        group=one_of([*MAIN.side.groups(), *SMOKE.side.groups()]),


rule table:
    """One table, beside the paper's numbers."""
    input:
        rows=lambda w: flat(inputs_of(run_of(w.run), "tables", w.item)),
    output:
        json="results/{run}/tables/{item}.json",
        csv=report(
            "results/{run}/tables/{item}.csv",
            caption="captions/table.rst",
            category="Tables",
            labels={"table": "{item}", "file": "csv"},
        ),
        md="results/{run}/tables/{item}.md",
        tex="results/{run}/tables/{item}.tex",
    params:
        run=lambda w: commands.run_options(run_of(w.run)),
        item=lambda w: depends_on(run_of(w.run), "tables", w.item),
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
        "python -m metriclearn tables {wildcards.item} {params.run} 2> {log}"


rule figure:
    """One figure, with the csv it is drawn from."""
    input:
        rows=lambda w: flat(inputs_of(run_of(w.run), "figures", w.item)),
    output:
        json="figures/{run}/{item}.json",
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
        run=lambda w: commands.run_options(run_of(w.run)),
        item=lambda w: depends_on(run_of(w.run), "figures", w.item),
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
        "python -m metriclearn figures {wildcards.item} {params.run} 2> {log}"


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
        run=lambda w: commands.run_options(run_of(w.run)),
        titles=lambda w: run_of(w.run).all_titles(),
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
        "python -m metriclearn report {params.run} 2> {log}"
