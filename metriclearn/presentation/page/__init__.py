"""The report page: all tables and figures of a folder of results in one file that needs no other.

``folder`` reads the saved tables and figures, ``cells`` turns a table into what is shown,
``environment`` and ``prose`` show provenance and findings, ``bundle`` has the library that draws
the charts, ``page`` puts everything together.
"""
