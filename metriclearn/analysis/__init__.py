"""From rows to numbers: means, ranks, significance, the paper's values and the verdict."""
