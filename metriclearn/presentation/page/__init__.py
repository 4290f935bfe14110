"""The report page: all tables and figures of a folder of results in one file that needs no other.

``folder`` reads the saved tables and figures, ``cells`` turns a table into what is shown,
``verdict`` makes the sentences of the first screen, ``reasons`` says once why something is missing,
``environment`` and ``prose`` show provenance and findings, ``bundle`` has the library that draws
the charts, ``parts`` is what the template takes, ``page`` puts everything together.
"""
