"""The learners, with scikit-learn's API: one file per method, its helpers beside it."""
