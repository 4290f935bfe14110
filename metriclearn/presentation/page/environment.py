"""With what the results were made: provenance.json, or else what the rows' times say."""

from pathlib import Path

from ...files.provenance import COLUMNS
from ...files.store import read_json, read_rows

MANY = 8


def read_environment(results):
    """A dict to be shown; empty if nothing is known."""
    results = Path(results)
    if (results / "provenance.json").is_file():
        return read_json(results / "provenance.json")
    found = {}
    for path in sorted(results.glob("*.times.csv")):
        for row in read_rows(path):
            for column in COLUMNS:
                if row.get(column):
                    found.setdefault(column, {})[row[column]] = None
    return {column: _few(list(values)) for column, values in found.items()}


def _few(values):
    more = [f"and {len(values) - MANY} more"] if len(values) > MANY else []
    return ", ".join(values[:MANY] + more)


def lines(value, depth=0, key=""):
    """(depth, key, text) of every entry of a nested value; text is None for a heading."""
    if isinstance(value, dict):
        out = [(depth, key, None)] if key else []
        for name, part in value.items():
            out += lines(part, depth + bool(key), str(name))
        return out
    if isinstance(value, list) and any(isinstance(part, dict | list) for part in value):
        numbered = {str(i): part for i, part in enumerate(value, start=1)}
        return lines(numbered, depth, key)
    if isinstance(value, list):
        return [(depth, key, ", ".join(map(_text, value)))]
    return [(depth, key, _text(value))]


def _text(value):
    if value is None:
        return "–"
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:,.4g}" if abs(value) < 1e4 else f"{value:,.0f}"
    return str(value)
