"""Helpers of the pipeline's stages; the stages are metriclearn.fetch, prepare, splits, train,
sweep, gap, collect, tables, figures and summary."""
