"""Files on disk: atomic writes, rows, arrays, provenance, and errors that a user can act on."""
