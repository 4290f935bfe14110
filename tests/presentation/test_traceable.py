"""The numbers of a text, looked up in tables."""

from metriclearn.presentation.traceable import untraceable

TABLE = "| Sonar | **12.60 ± 1.92 ≈ 13.29** | 9 of 13 reproduced |"


def test_numbers_of_tables_are_known():
    assert untraceable("Sonar has 12.60 ± 1.92, the paper 13.29; 9 of 13.", [TABLE]) == []
    assert untraceable("Table 3 has 13 sets and k = 2; 1,000 of 7,291 samples.", [TABLE]) == []


def test_others_are_named_once_in_their_order():
    text = "8 of 13 sets, 12.6 and 12.61, again 12.61, version 1.2.3"
    assert untraceable(text, [TABLE]) == ["8 of 13", "12.6", "12.61"]
    assert untraceable("12.60", []) == ["12.60"]
