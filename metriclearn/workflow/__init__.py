"""What the Snakefile needs beyond the stages: interrupts, progress, the environment of jobs."""
