"""A small folder of results with every kind of table and figure, its page, and a browser."""

import os
import shutil
from pathlib import Path
from types import SimpleNamespace

import pytest

HOSTILE = "<img src=x onerror=alert(1)> & 'quotes'"
NAMES = {"pcml": "PCML", "ncml": "NCML", "nca": "NCA", "toy": "Toy", "crowd": "Crowd"}

FILES = {
    "results/tables/table3.csv": f"""\
dataset,title,method,folds,error,std,paper,difference,best,note
toy,Toy,pcml,20,12.5,0.5,13.5,-1.0,0,
toy,Toy,ncml,20,12.0,0.5,10.9,1.1,1,
toy,Toy,nca,20,,,15.0,,0,timeout: fit took longer than 60 s
fixed,{HOSTILE},pcml,1,3.25,,3.3,-0.05,0,
fixed,{HOSTILE},ncml,1,30.0,,3.0,27.0,0,
fixed,{HOSTILE},nca,1,2.0,,,,1,
rank_min,Average rank (min),pcml,2,2.0,,1.5,0.5,0,
rank_min,Average rank (min),ncml,2,1.5,,2.0,-0.5,1,
rank_min,Average rank (min),nca,2,,,,,0,
""",
    "results/tables/table3.md": """\
**Table 3: 1-NN error rate (%), ours and the paper's.**

| Data set |  | PCML |
| --- | --: | --: |
| Toy | ours | 12.50 |

<sup>a</sup> timeout: fit took longer than 60 s

Fixed splits where the paper has *them*. − marks a hole.
""",
    "results/tables/table3.tex": "% empty\n",
    "results/tables/table2.csv": """\
dataset,title,quantity,ours,paper,difference,note
toy,Toy,training samples,1440,1441,-1,
toy,Toy,classes,2,2,0,
lost,Lost,training samples,,99,,unavailable: no file
lost,Lost,classes,,3,,unavailable: no file
""",
    "results/tables/table8.csv": """\
images,feature,preprocess,method,measure,folds,ours,std,paper,difference,best,fit_s,paper_fit_s,simulated,note
crowd,histogram,plain,pcml,rank1,10,17.0,2.0,19.4,-2.4,0,0.52,4.94,0,
crowd,histogram,plain,pcml,rank25,10,75.0,1.0,80.6,-5.6,1,0.52,4.94,0,
crowd,histogram,plain,ncml,rank1,10,18.0,2.0,21.04,-3.04,1,0.75,9.05,0,
crowd,histogram,plain,ncml,rank25,10,74.0,1.0,82.28,-8.28,0,0.75,9.05,0,
""",
    "results/tables/ablation_k.csv": """\
dataset,title,method,variant,folds,error,std,difference,best,paper,fit_cpu_s,note
toy,Toy,pcml,k = 1,10,12.5,0.5,,0,13.5,0.1,
toy,Toy,pcml,k = 2,10,12.0,0.5,-0.5,1,13.5,0.1,
mean,Mean of 1,pcml,k = 1,,12.5,,,0,,,
mean,Mean of 1,pcml,k = 2,,12.0,,-0.5,1,,,
toy,Toy,ncml,k = 1,10,11.5,0.5,,0,10.9,0.1,
toy,Toy,ncml,k = 2,10,,,,0,10.9,,timeout: longer than 60 s
""",
    "results/tables/ablation_k.md": """\
**Ablation k: the number of neighbours k, 1-NN error rate (%).**

| Data set | PCML, k = 1 | PCML, k = 2 |
| --- | --: | --: |
| Toy | 12.50 | **12.00 (−0.50)** |

All else as in Tables 3 and 5.

In brackets: the difference to k = 1.
""",
    "results/tables/statistics.csv": """\
test,statistic,p_value
Friedman,31.24567,0.000023
Nemenyi,2,
""",
    "results/tables/pairwise.csv": """\
dataset,method_a,method_b,difference,note
toy,pcml,nca,-3.5,
""",
    "results/tables/pairwise.md": f"""\
**Pairwise: error rate minus that of another method.**

| Data set | Method | PCML | NCA | Best |
| --- | --: | --: | --: | --: |
| Toy<sup>a</sup> | PCML |  | **−3.50 (2–1)** | PCML 1.25 |
|  | {HOSTILE.replace("<", "&lt;")} | +1,200.00 | −<sup>b</sup> |  |
| Zoo | PCML | 0.5e-3 | &lt;0.001 | NCA 3.00 |

<sup>a</sup> one split

<sup>b</sup> timeout: NCA \\_late\\_

Negative: fewer errors. − marks a hole.
""",
    "results/findings.md": """\
# In short

- **PCML** is [second](#table3), see `rank`.

| | ours |
|---|--:|
| PCML | 2.0 |

<script>alert(1)</script>
""",
    "results/provenance.json": '{"commit": "abc1234", "stages": {"train": {"cpu_s": 1234.5}},'
    ' "seeds": [0, 1], "note": "<b>&"}\n',
    "figures/figure3.csv": """\
dataset,method,title,key,value,folds,error,fit_cpu_s,fit_cpu_s_low,fit_cpu_s_high,status,message
toy,pcml,PCML,method.C,0.01,10,25.0,0.1,0.1,0.1,ok,
toy,pcml,PCML,method.C,0.1,10,24.5,0.1,0.1,0.1,ok,
toy,pcml,PCML,method.C,1.0,10,26.25,0.1,0.1,0.1,ok,
toy,ncml,NCML,method.C,0.01,10,28.0,0.1,0.1,0.1,ok,
toy,ncml,NCML,method.C,0.1,10,27.0,0.1,0.1,0.1,ok,
toy,ncml,NCML,method.C,1.0,10,,,,,timeout,fit took longer than 60 s
""",
    "figures/figure4.csv": """\
dataset,title,method,method_title,folds,fit_cpu_s,status,message
toy,Toy,pcml,PCML,10,0.25,ok,
toy,Toy,nca,NCA,10,12.5,ok,
big,Big,pcml,PCML,10,300.0,ok,
big,Big,nca,NCA,,,timeout,fit took longer than 60 s
""",
    "figures/ranks.csv": "method,rank\npcml,2.0\n",
    "figures/ranks.svg": '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 9 9">'
    '<script>document.title = "x"</script><circle r="3"/></svg>\n',
}


def make_folder(folder):
    for name, text in FILES.items():
        path = Path(folder) / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return Path(folder)


def make_page(folder):
    from metriclearn.presentation.page.page import write_report

    out = folder / "results/report.html"
    write_report("Toy & report", folder / "results", folder / "figures", out, names=NAMES)
    return out


@pytest.fixture(scope="session")
def kit():
    return SimpleNamespace(make_folder=make_folder, make_page=make_page, hostile=HOSTILE)


@pytest.fixture(scope="session")
def page(tmp_path_factory):
    return make_page(make_folder(tmp_path_factory.mktemp("report")))


def find_browser():
    """Paths of the browser and of its driver, None where there is none."""
    return shutil.which("chromium") or shutil.which("google-chrome"), shutil.which("chromedriver")


@pytest.fixture(scope="session")
def driver(tmp_path_factory):
    """A headless Chromium. Without one the tests are skipped, unless it is required."""
    binary, driver = find_browser()
    if not binary or not driver:
        reason = "no Chromium with its driver; apt-get install chromium chromium-driver"
        if os.environ.get("METRICLEARN_BROWSER") == "required":
            pytest.fail(reason)
        pytest.skip(reason)
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    options.binary_location = binary
    for argument in (
        "--headless=new",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        f"--user-data-dir={tmp_path_factory.mktemp('profile')}",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    service = webdriver.ChromeService(driver)
    browser = webdriver.Chrome(options=options, service=service)
    browser.set_page_load_timeout(120)
    browser.set_script_timeout(60)
    yield browser
    browser.quit()
