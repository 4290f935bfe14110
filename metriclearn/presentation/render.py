"""A table of text cells as Markdown and as LaTeX, with footnotes."""

import string
from dataclasses import dataclass, field

MINUS = "−"
BRACKETS = "In brackets: "  # begins a remark on cells of text; the page shows cells in its own way


def signed(value):
    """A difference with its sign, as text."""
    value = round(value, 2)
    return f"{value:+.2f}".replace("-", MINUS) if value else "0.00"


@dataclass
class Cell:
    text: str = ""
    bold: bool = False
    note: str | None = None  # a footnote's text


@dataclass
class Table:
    caption: str
    label: str
    header: list[str]
    body: list[list[Cell]] = field(default_factory=list)
    rules: set[int] = field(default_factory=set)  # a line above these rows of the body
    remarks: list[str] = field(default_factory=list)  # below the footnotes

    def marks(self):
        """A letter per distinct footnote, in order of appearance."""
        notes = dict.fromkeys(cell.note for row in self.body for cell in row if cell.note)
        return {note: _letter(i) for i, note in enumerate(notes)}


def _letter(i):
    letters = string.ascii_lowercase
    return letters[i] if i < 26 else letters[i // 26 - 1] + letters[i % 26]


def markdown(table):
    marks = table.marks()

    def show(cell):
        text = _escape_markdown(cell.text)
        text = f"**{text}**" if cell.bold and text else text
        return text + (f"<sup>{marks[cell.note]}</sup>" if cell.note else "")

    lines = [f"**{table.caption}**", "", _line(table.header)]
    lines.append(_line(["---", *["--:"] * (len(table.header) - 1)]))
    lines += [_line([show(cell) for cell in row]) for row in table.body]
    notes = [f"<sup>{mark}</sup> {_escape_markdown(note)}" for note, mark in marks.items()]
    for text in notes + table.remarks:
        lines += ["", text]
    return "\n".join(lines) + "\n"


def _line(cells):
    return "| " + " | ".join(cells) + " |"


def _escape_markdown(text):
    return text.replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*").replace("_", "\\_")


def latex(table):
    """A table* with booktabs-free rules: it compiles with the standard classes alone."""
    marks = table.marks()

    def show(cell):
        text = escape_latex(cell.text)
        text = f"\\textbf{{{text}}}" if cell.bold and text else text
        return text + (f"$^{{\\mathrm{{{marks[cell.note]}}}}}$" if cell.note else "")

    lines = ["\\begin{table*}", "\\centering\\footnotesize"]
    lines += [f"\\caption{{{escape_latex(table.caption)}}}", f"\\label{{{table.label}}}"]
    lines += [f"\\begin{{tabular}}{{l{'r' * (len(table.header) - 1)}}}", "\\hline"]
    lines += [" & ".join(map(escape_latex, table.header)) + " \\\\", "\\hline"]
    for i, row in enumerate(table.body):
        if i in table.rules:
            lines.append("\\hline")
        lines.append(" & ".join(show(cell) for cell in row) + " \\\\")
    lines += ["\\hline", "\\end{tabular}"]
    notes = [f"$^{{\\mathrm{{{mark}}}}}$ {escape_latex(n)}" for n, mark in marks.items()]
    for text in notes + [escape_latex(remark) for remark in table.remarks]:
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
