"""The report page: all tables and figures of a folder of results in one file that needs no other.

``page`` puts together what the others make: ``folder`` reads, ``grids`` turns a table's csv into
cells (``compare`` sets ours beside the paper's), ``panels`` a figure's csv into series,
``axes`` and ``svg`` draw them, ``environment`` and ``prose`` show provenance and findings.
"""
