# Names for every stage and every item of the paper, so that a run can stop there.


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
