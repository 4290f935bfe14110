"""What has no result, in few words: a whole item, whole columns, whole rows, then single cells."""

EVERYTHING = "everything"


def summarise_missing(cells):
    """(what, reason) from ``{(column, row): reason, or None where there is a value}``."""
    reasons = dict.fromkeys(reason for reason in cells.values() if reason)
    if len(reasons) == 1 and all(cells.values()):
        return [(EVERYTHING, next(iter(reasons)))]
    out, left = [], dict(cells)
    for side in (0, 1):
        for name in dict.fromkeys(key[side] for key in left):
            part = {key: reason for key, reason in left.items() if key[side] == name}
            if len(part) > 1 and len(set(part.values())) == 1 and all(part.values()):
                out.append((name, next(iter(part.values()))))
                left = {key: reason for key, reason in left.items() if key not in part}
    groups = {}
    for (column, row), reason in left.items():
        if reason:
            groups.setdefault((column, reason), []).append(row)
    return out + [
        (f"{column}: {', '.join(rows)}", reason) for (column, reason), rows in groups.items()
    ]


def table_missing(table):
    """(what, reason) of the missing values that a table shows."""
    cells = {}
    for row in table.rows:
        for column, cell in zip(table.columns, row.cells, strict=True):
            if not row.hidden and (cell.missing or cell.value is not None):
                reason = cell.note if cell.missing else None
                cells[column.title, ", ".join(row.titles)] = reason
    return summarise_missing(cells)
