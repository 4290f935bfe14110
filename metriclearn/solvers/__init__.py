"""Solvers: ``newton`` (the default, ``solver="fast"``) and ``libsvm`` (the paper's algorithms)."""
