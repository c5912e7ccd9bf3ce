"""The argument parser whose every error is one line, and the line itself."""

from __future__ import annotations

import argparse
import re
import sys
from typing import TYPE_CHECKING, Final, NoReturn

if TYPE_CHECKING:
    from _typeshed import SupportsWrite

    from pzvision.tiles import Lang

_KINDS: Final = {"int": "whole number", "float": "number", "Path": "path"}
_CONTROL: Final = {code: repr(chr(code))[1:-1] for code in (*range(32), *range(127, 160), 0x2028, 0x2029)}


class Parser(argparse.ArgumentParser):
    """Says ``pzvision COMMAND: error: …; see pzvision COMMAND --help`` and exits with status 2.

    A type function's ``__name__`` is what the error says was expected, such as "whole number from 1".
    """

    summary: tuple[str, str] = ("", "")
    """What the command does: Chinese, English."""
    lang: Lang | None = None
    """Of the help; None: as the locale says."""

    def format_help(self) -> str:
        """The manual page, see `pzvision.commands._help`."""
        from pzvision.commands._help import page, usual_lang

        command = self.prog.partition(" ")[2]
        return page(self, command, self.summary, self.lang or usual_lang())

    def error(self, message: str) -> NoReturn:
        """Print the one line and exit with status 2."""
        self.exit(2, one_line(f"{self.prog}: error: {_plain(message)}; see {self.prog} --help") + "\n")

    def _print_message(self, message: str, file: SupportsWrite[str] | None = None) -> None:
        """As the parent's, but a help text that cannot be written is an error."""
        if message:
            (sys.stderr if file is None else file).write(message)


def _plain(message: str) -> str:
    """argparse's message with the value and what was expected of it."""
    if match := re.fullmatch(r"argument (.+?): invalid (.+?) value: (.*)", message, re.DOTALL):
        name, kind, value = match.groups()
        return f"{name} {value}: expected a {_KINDS.get(kind, kind)}"
    choice = r"argument (.+?): invalid choice: (.*) \(choose from (.*)\)"
    if match := re.fullmatch(choice, message, re.DOTALL):
        name, value, choices = match.groups()
        name = "unknown command" if name == "COMMAND" else name
        return f"{name} {value}: expected one of {choices.replace(chr(39), '')}"
    if match := re.fullmatch(r"the following arguments are required: (.*)", message, re.DOTALL):
        return f"missing {match[1]}"
    if match := re.fullmatch(r"unrecognized arguments: (.*)", message, re.DOTALL):
        return f"unknown argument {match[1]}"
    return message.removeprefix("argument ")


def one_line(text: str) -> str:
    """The text without line breaks or control characters, and with undecodable bytes of file names readable.

    Bytes that the file system's encoding could not decode (lone surrogates, bare or as ``repr`` writes them)
    are read as UTF-8, and shown as ``\\xff`` where they are not that either.
    """
    text = re.sub(
        r"(?:\\udc[89a-f][0-9a-f])+",
        lambda match: bytes.fromhex(match[0].replace("\\udc", "")).decode("utf-8", "backslashreplace"),
        text,
    )
    text = re.sub(
        "[\udc80-\udcff]+",
        lambda match: match[0].encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace"),
        text,
    )
    return text.strip().translate(_CONTROL)
