"""Kinds of tables, one module each; see ``kinds``. Helpers begin with an underscore."""
