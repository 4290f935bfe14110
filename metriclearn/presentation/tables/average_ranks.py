"""Average ranks and mean errors side by side: ours, ours by the paper's protocol, the paper's."""

from ...analysis.compared import SOURCES, all_titles, comparisons
from ...analysis.ranks import average_ranks
from ...analysis.statistics import ALPHA, critical_difference, friedman
from ..render import number_text
from ..table import Cell, Column, Row, Table
from ..words import listed
from ._common import METHOD, paper_error_rows, protocol_remark, table_title
from ._common import rows_and_grids as inputs  # noqa: F401
from .statistics import too_few

SCOPE = Column("methods", "Methods", words=True)
BLOCKS = {"methods": "of the paper", "every": "all"}
paper = paper_error_rows


def make(run, name, item, collected):
    grid, titles = collected.get("grid", []), all_titles(run, item)
    found = {
        (one.breadth, one.source): one
        for one in comparisons(run, item, collected["rows"], grid)
        if one.breadth in BLOCKS
    }
    sources = [source for source in SOURCES if any(key[1] == source for key in found)]
    columns = []
    for source in sources:
        title = SOURCES[source]
        columns += [
            Column(f"{source}_rank", f"{title}: rank"),
            Column(f"{source}_error", f"{title}: mean error"),
        ]
    table = Table(name, f"{table_title(run, name)} and mean errors (%).", [SCOPE, METHOD], columns)
    for breadth, title in BLOCKS.items():
        block = {s: found[breadth, s] for s in sources if (breadth, s) in found}
        if block:
            table.rows += _block(breadth, title, sources, block, titles)
    table.remarks = [
        "Ranks and means are over the data sets on which every method of the block has a result, "
        "whose number stands in the first line. Ties share the mean of their places. In bold: the "
        f"best rank, and those that do not differ from it by Nemenyi's test at {ALPHA}.",
        *protocol_remark(run, grid),
        *_left_out(found, titles),
    ]
    return table


def _block(breadth, title, sources, block, titles):
    """Numbers of data sets, Friedman's test, the critical difference, then the methods."""
    facts = {source: _facts(one.errors) for source, one in block.items()}

    def row(key, words, cells_of, **options):
        pairs = [cells_of(source) if source in block else [Cell(), Cell()] for source in sources]
        return Row(
            [breadth, key], [title, words], [cell for pair in pairs for cell in pair], **options
        )

    def method_cells(method):
        def cells(source):
            ranks, means, limit = (facts[source][key] for key in ("ranks", "means", "limit"))
            if method not in ranks:
                return [Cell(), Cell()]
            best = ranks[method] - min(ranks.values()) <= (limit or 0.0)
            return [Cell(ranks[method], best=best), Cell(means[method])]

        return cells

    def count(source):
        return [Cell(len(block[source].errors)), Cell()]

    def test(source):
        return [facts[source]["friedman"], Cell()]

    def limit(source):
        return [Cell(facts[source]["limit"]), Cell()]

    methods = dict.fromkeys(method for one in block.values() for method in one.methods)
    return [
        row("datasets", "data sets", count, rule=True, number="d"),
        row("friedman", "Friedman: chi-square (p)", test),
        row("critical_difference", "Nemenyi: critical difference", limit),
        *[row(method, titles[method], method_cells(method)) for method in methods],
    ]


def _facts(errors):
    """What a comparison gives; no tests where it is too small."""
    found = {
        "ranks": average_ranks(errors).to_dict(),
        "means": errors.mean().to_dict(),
        "limit": None,
    }
    if reason := too_few(*(errors.shape if len(errors) else (0, 0))):
        return {**found, "friedman": Cell(note=reason)}
    chi_square, p = friedman(errors)
    cell = Cell(chi_square, detail=number_text(p, "p"), best=p < ALPHA, facts={"p": p})
    return {**found, "friedman": cell, "limit": critical_difference(*errors.shape)}


def _left_out(found, titles):
    """A sentence for each comparison that lacks data sets or methods."""
    texts = {}
    for one in found.values():
        if one.left_out:
            texts.setdefault(listed(titles[n] for n in one.left_out), []).append(one)
    return [
        f"Left out for want of results ({listed(dict.fromkeys(SOURCES[o.source] for o in ones))}): "
        f"{names}."
        for names, ones in texts.items()
    ]
