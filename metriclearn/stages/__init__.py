"""One module per stage of the pipeline, each with a function and a command line."""
