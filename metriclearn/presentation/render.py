"""A table as csv, as Markdown and as LaTeX."""

import string
from itertools import groupby

MINUS = "−"
SIGNS = {"reproduced": " ≈ ", "higher": " ≠ ", "lower": " ≠ "}  # between our value and the paper's
NOT_JUDGED = ", paper "
CELL_COLUMNS = [
    "value",
    "deviation",
    "paper",
    "difference",
    "limit",
    "verdict",
    "best",
    "label",
    "detail",
    "note",
]


# Numbers as text ----------------------------------------------------------------------------


def number_text(value, number=".2f"):
    """A number by a format of ``Column.number``; words as they are."""
    if isinstance(value, str):
        return value
    if number == "p":
        return "<0.001" if value < 0.001 else f"{value:.3f}"
    if number.endswith(".3g") and abs(value) >= 1000:
        number = number.replace(".3g", ",.0f")
    text = format(value, number)
    if not text.strip("+-0.,"):
        return text.lstrip("+-")  # zero has no sign
    return MINUS + text[1:] if text.startswith("-") else text


def signed(value, number=".2f"):
    """A difference with its sign."""
    return number_text(value, f"+{number.lstrip('+')}")


# csv ----------------------------------------------------------------------------------------


def csv_rows(table):
    """The columns and the rows of the csv: a row per cell, hidden ones too, numbers unrounded."""
    stub = [column.key for column in table.stub]
    facts = dict.fromkeys(key for cell in table.cells() for key in cell.facts)
    columns = [*stub, "column", *CELL_COLUMNS, *facts]
    rows = []
    for row in table.rows:
        for column, cell in zip(table.columns, row.cells, strict=True):
            found = {key: getattr(cell, key) for key in CELL_COLUMNS}
            found.update(best=int(cell.best), note=cell.note or row.note)
            named = dict(zip(stub, row.keys, strict=True))
            rows.append({**named, "column": column.key, **found, **cell.facts})
    return columns, rows


# Lines of text, for Markdown and LaTeX --------------------------------------------------------


def text_lines(table):
    """(row, [(text, bold, note) of each cell]) of what is printed, the stub's cells first.

    A stacked table has a line for ours, one for the paper's and one for the difference; where its
    rows have two names, a line for each of those that share the first one, and the paper's.
    """
    shown = [row for row in table.rows if not row.hidden]
    if not table.stacked:
        yield from (_line(table, row) for row in shown)
        return
    for _, rows in groupby(shown, key=lambda row: row.keys[0]):
        yield from _stacked_lines(table, list(rows))


def _line(table, row):
    cells = zip(table.columns, row.cells, strict=True)
    return row, _stub(row) + [
        (_cell_text(cell, column, row.number or column.number), cell.best, cell.note)
        for column, cell in cells
    ]


def _stub(row):
    return [(title, False, None if i else row.note) for i, title in enumerate(row.titles)]


def _cell_text(cell, column, number):
    """E.g. "ITML 32.63 ± 2.03 ≈ 35.82"; "34.73 (+1.00)"."""
    if cell.value is None and not cell.note:
        return _paper_text(cell, number)
    text = MINUS if cell.value is None else number_text(cell.value, number)
    same = text == _paper_text(cell, number)
    if cell.label:
        text = f"{cell.label} {text}"
    if cell.deviation is not None and column.paper == "beside":
        text += f" ± {number_text(cell.deviation, number)}"
    detail = cell.detail
    if column.paper == "difference" and cell.difference is not None:
        detail = signed(cell.difference, number) + SIGNS.get(cell.verdict, "").rstrip()
    if detail:
        text += f" ({detail})"
    if cell.paper is not None and (
        column.paper == "beside" or (column.paper == "differing" and not same)
    ):
        text += SIGNS.get(cell.verdict, NOT_JUDGED) + _paper_text(cell, number)
    return text


def _paper_text(cell, number):
    return "" if cell.paper is None else number_text(cell.paper, number)


def _stacked_lines(table, rows):
    """The lines of rows with the same first name; without those that have nothing to say.

    Our value has the sign of its verdict where there are several, else the paper's has it.
    """
    several, first = len(rows) > 1, rows[0]
    stub = _stub(first)[:1]
    lines, papers, differences = [], [], []
    for row in rows:
        ours = []
        for column, cell in zip(table.columns, row.cells, strict=True):
            number = row.number or column.number
            sign = SIGNS.get(cell.verdict, "")
            value = MINUS if cell.missing else ""
            if cell.value is not None:
                value = number_text(cell.value, number) + sign.rstrip() * several
            ours.append((value, cell.best, cell.note))
            if row is first:
                papers.append(sign.lstrip() * (not several) + _paper_text(cell, number))
                known = cell.difference is not None and not several
                differences.append(signed(cell.difference, number) if known else "")
        name = row.titles[1] if len(row.titles) > 1 else "ours"
        lines.append((name, ours))
    lines.append(("paper", [(text, False, None) for text in papers]))
    lines.append(("difference", [(text, False, None) for text in differences]))
    for name, cells in lines:
        if any(text for text, *_ in cells):
            yield first, [*stub, (name, False, None), *cells]
            stub = [("", False, None)]


def _header(table):
    """(titles, whether each column holds words) of the printed columns."""
    stub = [table.stub[0].title, ""] if table.stacked else [c.title for c in table.stub]
    titles = stub + [c.title for c in table.columns]
    return titles, [True] * len(stub) + [c.words for c in table.columns]


def _marks(table):
    """A letter per distinct footnote."""
    return {note: _letter(i) for i, note in enumerate(table.notes())}


def _letter(i):
    letters = string.ascii_lowercase
    return letters[i] if i < 26 else letters[i // 26 - 1] + letters[i % 26]


def _remarks(table):
    left_out = [f"No results for {what}: {reason}." for what, reason in table.left_out]
    return [*table.remarks, *left_out, *([table.legend] if table.legend else [])]


# Markdown -----------------------------------------------------------------------------------


def markdown(table):
    marks = _marks(table)

    def show(text, bold, note):
        text = escape_markdown(text)
        text = f"**{text}**" if bold and text else text
        return text + (f"<sup>{marks[note]}</sup>" if note else "")

    titles, words = _header(table)
    lines = [f"**{escape_markdown(table.caption)}**", "", _row(map(escape_markdown, titles))]
    lines.append(_row("---" if is_words else "--:" for is_words in words))
    lines += [_row(show(*cell) for cell in cells) for _, cells in text_lines(table)]
    for note, mark in marks.items():
        lines += ["", f"<sup>{mark}</sup> {escape_markdown(note)}"]
    for remark in _remarks(table):
        lines += ["", escape_markdown(remark)]
    return "\n".join(lines) + "\n"


def _row(cells):
    return f"| {' | '.join(cells)} |"


def escape_markdown(text):
    for character, escaped in (("|", "\\|"), ("<", "&lt;"), ("*", "\\*"), ("_", "\\_")):
        text = text.replace(character, escaped)
    return text


# LaTeX --------------------------------------------------------------------------------------


def latex(table):
    """A table* with the rules of the standard classes: it compiles without any package."""
    marks = _marks(table)

    def mark(note):
        return f"$^{{\\mathrm{{{marks[note]}}}}}$"

    def show(text, bold, note):
        text = escape_latex(text)
        text = f"\\textbf{{{text}}}" if bold and text else text
        return text + (mark(note) if note else "")

    titles, words = _header(table)
    lines = ["\\begin{table*}", "\\centering\\footnotesize"]
    lines += [f"\\caption{{{escape_latex(table.caption)}}}", f"\\label{{tab:{table.name}}}"]
    lines.append(f"\\begin{{tabular}}{{{''.join('l' if w else 'r' for w in words)}}}")
    lines += ["\\hline", " & ".join(map(escape_latex, titles)) + " \\\\", "\\hline"]
    above = None
    for row, cells in text_lines(table):
        if row.rule and above is not None and row is not above:
            lines.append("\\hline")
        lines.append(" & ".join(show(*cell) for cell in cells) + " \\\\")
        above = row
    lines += ["\\hline", "\\end{tabular}"]
    notes = [f"{mark(note)} {escape_latex(note)}" for note in marks]
    for text in notes + [escape_latex(remark) for remark in _remarks(table)]:
        lines += ["", f"\\smallskip\\raggedright {text}"]
    return "\n".join([*lines, "\\end{table*}"]) + "\n"


LATEX = {
    "\\": r"\textbackslash{}",
    "&": r"\&",
    "%": r"\%",
    "$": r"\$",
    "#": r"\#",
    "_": r"\_",
    "{": r"\{",
    "}": r"\}",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "−": "$-$",
    "×": r"$\times$",
    "±": r"$\pm$",
    "≈": r"$\approx$",
    "≠": r"$\neq$",
    "–": "--",
    "…": r"\dots{}",
    "’": "'",
    "<": "$<$",
    ">": "$>$",
    "|": "$|$",
}


def escape_latex(text):
    return "".join(LATEX.get(character, character) for character in text)
