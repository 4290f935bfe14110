#!/bin/sh
# Agreement with metric-learn, in an environment of its own: it needs scikit-learn < 1.8.
#
#   tests/system/peers/run.sh              run the tests
#   tests/system/peers/run.sh --benchmark  run benchmarks/baselines.py there instead, with its arguments
#
# PEERS_ENV is where the environment goes (default: .peers in the repository), PYTHON what makes
# it. It is built once; delete the folder to build it anew.
set -eu
root=$(cd "$(dirname "$0")/../../.." && pwd)
env=${PEERS_ENV:-$root/.peers}
if [ ! -e "$env/ready" ]; then
    "${PYTHON:-python3}" -m venv "$env"
    "$env/bin/python" -m pip install --quiet -r "$root/tests/system/peers/requirements.txt"
    touch "$env/ready"
fi
cd "$root"
OMP_NUM_THREADS=${OMP_NUM_THREADS:-1}
PYTHONPATH=$root
export OMP_NUM_THREADS PYTHONPATH
if [ "${1:-}" = --benchmark ]; then
    shift
    exec "$env/bin/python" benchmarks/baselines.py "$@"
fi
exec "$env/bin/python" -m pytest tests/system/peers/peers.py "$@"
