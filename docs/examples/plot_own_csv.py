"""
Your own table through the workflow
===================================

The experiments of the paper run on a table of yours too: scaling, tuning, folds and result rows
are the same. The table is a csv file with a heading and the label in the last column; here it is
made of Wine.
"""

# %%
# The table
# ---------

import csv
import subprocess
import sys
import tempfile
from pathlib import Path

import matplotlib.pyplot as plt
from sklearn.datasets import load_wine

workplace = tempfile.TemporaryDirectory()
folder = Path(workplace.name)
wine = load_wine(as_frame=True)
table = wine.data.assign(label=wine.target_names[wine.target])
table.to_csv(folder / "wine.csv", index=False)
print(*(folder / "wine.csv").read_text().splitlines()[:4], sep="\n")

# %%
# One job per method
# ------------------
# ``protocol=quick`` is one run of 10-fold cross-validation. C and k are chosen on the training
# part of each fold. In a terminal the command begins with ``metriclearn train``.


def train(method):
    """Run the job; the rows that it wrote."""
    command = [sys.executable, "-m", "metriclearn", "train", "dataset=file"]
    command += ["dataset.path=wine.csv", "protocol=quick", f"method={method}"]
    command += [f"out={method}.rows.csv"]
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    print(done.stdout)
    with open(folder / f"{method}.rows.csv", newline="") as file:
        return list(csv.DictReader(file))


rows = {method: train(method) for method in ("euclidean", "pcml")}

# %%
# What a row says
# ---------------
# One row per fold: what was run, what was chosen, how it ended and what came out.

for name, value in rows["pcml"][0].items():
    if value:
        print(f"{name:16} {value[:60]}")

# %%
# The errors of the ten folds
# ---------------------------

fig, ax = plt.subplots(figsize=(6.4, 3), layout="constrained")
for (method, folds), marker in zip(rows.items(), "os"):
    ax.plot([100 * float(row["error"]) for row in folds], marker, alpha=0.7, label=method)
ax.set(xlabel="fold", ylabel="1-NN error (%)")
ax.legend()
plt.show()

# %%
# All methods, tables and figures for your data: a file in ``conf/experiment/`` with
# ``datasets: [./wine.csv]``, then ``snakemake --cores 8 --config experiment=NAME``; see
# :doc:`/extend`.
