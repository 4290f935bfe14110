# Names for every stage and every item of the paper, so that a run can stop there.
from metriclearn.workflow.targets import own_files, unknown_target


rule fetched:
    """All data sets, or notes why they are missing."""
    input:
        [MAIN.places.note(name) for name in MAIN.datasets],


rule datasets:
    """All data sets, prepared."""
    input:
        [MAIN.places.data(name) for name in MAIN.datasets],


rule splits:
    """All splits."""
    input:
        [MAIN.places.split(name) for name in MAIN.datasets],


rule trained:
    """All training jobs."""
    input:
        MAIN.all_rows() + MAIN.matches.all_rows(),


rule collected:
    """All rows in one csv, those of the image sets in another."""
    input:
        MAIN.all_collected(),


rule tables:
    """All tables."""
    input:
        [path for name in MAIN.experiment["tables"] for path in MAIN.table(name)],


rule figures:
    """All figures."""
    input:
        [path for name in MAIN.experiment["figures"] for path in MAIN.figure(name)],


rule report:
    """The page with all tables and figures."""
    input:
        MAIN.places.report(),


for _item in MAIN.experiment["tables"]:

    rule:
        name:
            _item
        input:
            MAIN.table(_item),


for _item in MAIN.experiment["figures"]:

    rule:
        name:
            _item
        input:
            MAIN.figure(_item),


rule unknown:
    """A target that is the name of nothing: says so, with the nearest name."""
    input:
        lambda w: guard(
            unknown_target, w.name, [r.name for r in workflow.rules if not r.has_wildcards()]
        ),
    output:
        "{name}",
    wildcard_constraints:
        name=rf"(?!({one_of(own_files(MAIN))})$)[A-Za-z0-9_-]+",
