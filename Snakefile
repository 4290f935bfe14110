# From the raw data to the paper's tables and figures. Every rule is one stage of the package, its
# shell block a command line that can be pasted into a terminal. What a run consists of is asked
# of metriclearn.experiment.run.
#
#   snakemake --cores 8                                     everything
#   snakemake --cores 8 table3 figure1                      single items
#   snakemake --cores 2 smoke                               two small data sets, in minutes
#   snakemake --cores 8 --config 'overrides=[method.C=0.1]' another run, in its own folder
#   snakemake --cores 8 --config strict=true                missing data are an error
include: "rules/common.smk"

from metriclearn.workflow.interrupt import Interrupt
from metriclearn.workflow.progress import follow

INTERRUPT = Interrupt()


rule all:
    """All tables and figures of the experiment."""
    input:
        MAIN.targets(),


rule smoke:
    """Breast Tissue and Sonar through every method, with tables and figures."""
    input:
        SMOKE.targets(),


include: "rules/data.smk"
include: "rules/train.smk"
include: "rules/match.smk"
include: "rules/results.smk"
include: "rules/targets.smk"


onstart:
    guard(one_run_at_a_time)
    one_timer_at_a_time(workflow.scheduler)
    INTERRUPT.listen(workflow.scheduler.exit_gracefully if workflow.local_exec else None)
    follow(workflow.dag, logger)


onsuccess:
    shell(f"python -m metriclearn summary {summary_arguments()}")


onerror:
    how = "--interrupted" if INTERRUPT.happened else "--failed"
    shell(f"python -m metriclearn summary {how} {summary_arguments()}")
