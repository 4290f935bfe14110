#!/bin/sh
# Wheel and sdist build, and install into a folder with spaces by a user who is not root.
#
# PYTHON is what makes the environments (default: python3). Everything goes to a temporary folder
# that is removed at the end.
set -eu
root=$(cd "$(dirname "$0")/../../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
chmod 755 "$work"
place="$work/path with spaces"
mkdir -p "$place/home" "$place/elsewhere" "$work/dist"
nobody=65534

if [ "$(id -u)" = 0 ]; then
    user() { setpriv --reuid=$nobody --regid=$nobody --clear-groups env HOME="$place/home" "$@"; }
else
    user() { env HOME="$place/home" "$@"; }
fi
step() { printf '\n== %s\n' "$*"; }

step "build the sdist, and from it the wheel"
"${PYTHON:-python3}" -m venv "$work/build"
"$work/build/bin/python" -m pip install --quiet build
"$work/build/bin/python" -m build --outdir "$work/dist" "$root" > "$work/build.log" 2>&1 ||
    { cat "$work/build.log"; exit 1; }
ls "$work/dist"

step "a clone in a path with spaces, owned by the user"
cp -R "$root/Snakefile" "$root/rules" "$root/profiles" "$root/conf" "$root/data" \
    "$root/metriclearn" "$root/pyproject.toml" "$root/environment.yml" "$root/README.md" \
    "$root/LICENSE" "$place/elsewhere"
mv "$place/elsewhere" "$place/a clone"
mkdir "$place/elsewhere"
if [ "$(id -u)" = 0 ]; then chown -R $nobody:$nobody "$place"; fi
user "$(readlink -f "$(command -v "${PYTHON:-python3}")")" -m venv "$place/env" 2> "$work/venv.log" ||
    { cat "$work/venv.log"; echo "the user cannot run ${PYTHON:-python3}; set PYTHON"; exit 1; }
python="$place/env/bin/python"

check() {
    # In a folder without the source, so that only what was installed can be found.
    (cd "$place/elsewhere" && rm -rf results outputs && user "$python" -m metriclearn train \
        dataset=sonar method=pcml tuning=none protocol.folds=2 &&
        test "$(cat results/jobs/sonar/pcml/*/repeat0.rows.csv | grep -c ',ok,')" = 2)
}

step "install the wheel"
user "$python" -m pip install --quiet --no-cache-dir "$(ls "$work"/dist/*.whl)[pipeline]"
user "$python" -m pip check
check

step "install the sdist instead"
user "$python" -m pip uninstall --quiet --yes metriclearn
user "$python" -m pip install --quiet --no-cache-dir --no-deps "$(ls "$work"/dist/*.tar.gz)"
check

step "install the clone instead, and run its workflow"
user "$python" -m pip uninstall --quiet --yes metriclearn
user "$python" -m pip install --quiet --no-cache-dir --no-deps --editable "$place/a clone"
check
(cd "$place/a clone" && METRICLEARN_OFFLINE=1 user "$python" -m snakemake --cores 1 \
    --config 'overrides=[protocol.repeats=1,protocol.use_folds=1,tuning=none]' -- \
    'results/paper-protocol.repeats_1-protocol.use_folds_1-tuning_none/train/sonar/pcml/repeat0.rows.csv' \
    > "$work/workflow.log" 2>&1 || { cat "$work/workflow.log"; exit 1; })
printf '\nwheel, sdist and clone install and run\n'
