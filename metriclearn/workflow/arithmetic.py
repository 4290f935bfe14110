"""The same digits on every x86-64 processor.

OpenBLAS, numba and NumPy take the widest vector instructions that they find, and a sum over eight
lanes is rounded otherwise than one over four. That moves the last digits of a metric and, where
two samples are equally near or two parameters equally good, now and then a result. So the stages
of the pipeline run with what nearly all x86-64 processors have (AVX2 and FMA, x86-64-v3).
Estimators that are used from Python are not concerned: there the processor's best is taken.
"""

import os
import platform

# What each library reads when it is loaded.
PINS = {
    "OPENBLAS_CORETYPE": "Haswell",
    "NUMBA_CPU_NAME": "x86-64-v3",
    "NUMBA_CPU_FEATURES": "",  # those of the name, not those of the processor
    # The names since NumPy 2.4, then those before; a version ignores those that it does not know.
    "NPY_DISABLE_CPU_FEATURES": "X86_V4 AVX512_ICL AVX512_SPR "
    "AVX512F AVX512CD AVX512_SKX AVX512_CLX AVX512_CNL",
}


def pin(environment=os.environ, flags=None):
    """Set what is not set by hand, where the processor has these instructions.

    It must come before NumPy is loaded, and holds for the processes that are started from here.
    """
    if {"avx2", "fma"} <= (processor_flags() if flags is None else flags):
        for name, value in PINS.items():
            environment.setdefault(name, value)


def processor_flags(path="/proc/cpuinfo"):
    """The instruction sets of an x86-64 processor under Linux; none elsewhere."""
    if platform.machine() != "x86_64":
        return set()
    try:
        with open(path, encoding="ascii", errors="replace") as lines:
            return next((set(line.split()) for line in lines if line.startswith("flags")), set())
    except OSError:
        return set()
