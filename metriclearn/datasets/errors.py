"""Errors of the data layer: one line that says what was expected, what came, what to do."""

from ..files.errors import UserError


class DatasetError(UserError):
    """A file or data set whose content is not what it should be."""


class UnknownDataset(DatasetError):
    """A name that is neither a known data set nor an existing file."""


class DatasetUnavailable(DatasetError):
    """A known data set that no source could give.

    ``absent`` is true if no source had it, false if one had it and it was wrong.
    """

    def __init__(self, message: str, *, absent: bool = True) -> None:
        super().__init__(message)
        self.absent = absent


class DownloadError(DatasetError):
    """A URL that could not be downloaded; the message names it."""
