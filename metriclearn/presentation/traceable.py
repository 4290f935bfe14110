"""Whether the numbers of a text are in the published tables: no number is typed in.

A number is one with decimals, such as 2.34, or a count, such as 12 of 13. Whole numbers beside
these name tables, ranks or dimensions, and are not looked for.
"""

import re

NUMBER = re.compile(r"(?<![\w.,])\d+\.\d+(?![\w.]*\d)|(?<![\w.,])\d+ of \d+(?!,?\d)")


def untraceable(text, tables):
    """The numbers of a text that none of the tables has, in their order; all are Markdown."""
    known = {number for table in tables for number in NUMBER.findall(table)}
    return [number for number in dict.fromkeys(NUMBER.findall(text)) if number not in known]
