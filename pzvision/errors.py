"""Errors that a person can act on. Every one prints as a single line."""

from __future__ import annotations


class PzvisionError(Exception):
    """Something the user gave cannot be used; the message is one line naming it and what was expected.

    The command line prints it as ``pzvision: error: …`` and exits with status 2.
    """


class FormatError(PzvisionError, ValueError):
    """A value could not be parsed. ``field`` names the field of the record it stood in, if any."""

    def __init__(self, message: str, *, field: str | None = None) -> None:
        super().__init__(message)
        self.field = field
