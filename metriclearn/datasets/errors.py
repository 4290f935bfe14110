"""Errors of data sets: one line with what was expected, what came and what to do."""

from ..files.errors import UserError


class DatasetError(UserError):
    """A file or data set with wrong content."""


class UnknownDataset(DatasetError):
    """A name that is neither a known data set nor an existing file."""


class DatasetUnavailable(DatasetError):
    """A known data set that is not available from any source.

    ``absent`` is true if no source has it, false if one has it with wrong content.
    """

    def __init__(self, message: str, *, absent: bool = True) -> None:
        super().__init__(message)
        self.absent = absent


class DownloadError(DatasetError):
    """A URL that could not be downloaded; the message names it."""


class DatasetWarning(UserWarning):
    """Something in a user's file that is probably not what was meant."""
