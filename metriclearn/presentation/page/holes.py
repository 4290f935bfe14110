"""What has no result, said shortly: a whole table, whole columns, whole rows, then single cells."""

EVERYTHING = "everything"


def table_holes(grid):
    """(reason, what) of the holes of a table."""
    numeric = [i for i, is_number in enumerate(grid.numeric) if is_number]
    names = [
        ", ".join(cell.text for cell, number in zip(row, grid.numeric) if not number)
        for row in grid.rows
    ]
    cells = {
        (grid.header[i], names[r]): row[i].note if row[i].hole else None
        for r, row in enumerate(grid.rows)
        for i in numeric
        if row[i].hole or row[i].ours_value is not None
    }
    return short_holes(cells)


def figure_holes(item, names):
    """(reason, what) of the holes of a figure: places (data sets, features) and methods."""
    cells = {}
    for row in item.rows:
        if "status" not in row:
            continue
        where = row.get("dataset") or row.get("images") or ""
        parts = [names.get(where, where), row.get("feature", "").replace("_", " + "), _setting(row)]
        place = ", ".join(part for part in parts if part)
        method = row.get("method", "")
        bad = None if row["status"] == "ok" else f"{row['status']}: {row['message']}"
        cells[place, names.get(method, method)] = bad
    return short_holes(cells)


def _setting(row):
    return f"{row['key']} = {row['value']}" if row.get("key") else ""


def short_holes(cells):
    """(reason, what) from ``{(column, row): reason, or None where there is a value}``."""
    reasons = dict.fromkeys(reason for reason in cells.values() if reason)
    if len(reasons) == 1 and all(cells.values()):
        return [(next(iter(reasons)), EVERYTHING)]
    out, left = [], dict(cells)
    for side in (0, 1):
        for name in dict.fromkeys(key[side] for key in left):
            part = {key: reason for key, reason in left.items() if key[side] == name}
            if len(part) > 1 and len(set(part.values())) == 1 and all(part.values()):
                out.append((next(iter(part.values())), name))
                left = {key: reason for key, reason in left.items() if key not in part}
    groups = {}
    for (column, row), reason in left.items():
        if reason:
            groups.setdefault((reason, column), []).append(row)
    return out + [
        (reason, f"{column}: {', '.join(rows)}") for (reason, column), rows in groups.items()
    ]
