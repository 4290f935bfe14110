"""Command lines of the stages that are no Hydra jobs."""

import argparse


def make_parser(module, text):
    return argparse.ArgumentParser(
        prog=f"python -m metriclearn.{module}",
        description=text,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
