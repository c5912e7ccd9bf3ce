"""Checks of what was installed: pzvision itself and the packages that come with it."""

from __future__ import annotations

import importlib
import re
import sys
from collections.abc import Iterator
from contextlib import suppress
from importlib import metadata
from typing import Final

import pzvision
from pzvision.doctor.findings import Finding

_MODULES: Final = {"opencv-python": "cv2"}  # where a package's module is called otherwise


def program() -> Iterator[Finding]:
    """Versions of pzvision and Python."""
    python = ".".join(map(str, sys.version_info[:3]))
    fields = {"version": pzvision.__version__, "python": python}
    yield Finding("program", "ok", "program", fields=fields)


def packages() -> Iterator[Finding]:
    """Everything a `pip install pzvision` brings: there, recent enough, and loading."""
    try:
        wanted = [text for text in metadata.requires("pzvision") or () if "extra ==" not in text]
    except metadata.PackageNotFoundError:
        yield Finding("packages", "warn", "not_installed", "not_installed_mend")
        return
    well = 0
    for text in wanted:
        match = re.match(r"([A-Za-z0-9_.-]+)\s*([^;]*)", text)
        assert match is not None
        name, want = match[1], match[2].strip()
        fields = {"name": name, "want": want}
        try:
            have: str | None = metadata.version(name)
        except metadata.PackageNotFoundError:
            have = _version_of_module(name)  # such as opencv-python-headless in place of opencv-python
        if have is None:
            yield Finding("packages", "bad", "package_missing", "package_mend", fields)
            continue
        try:
            importlib.import_module(_MODULES.get(name, name.replace("-", "_")))
        except ImportError as error:
            mend = "cv2_mend" if name.startswith("opencv") else "package_mend"
            yield Finding("packages", "bad", "package_broken", mend, {**fields, "why": str(error)})
            continue
        if not satisfies(have, want):
            yield Finding("packages", "warn", "package_old", "package_mend", {**fields, "have": have})
            continue
        well += 1
    if well == len(wanted):
        yield Finding("packages", "ok", "packages", fields={"count": well})


def _version_of_module(name: str) -> str | None:
    with suppress(ImportError):
        return str(importlib.import_module(_MODULES.get(name, name)).__version__)
    return None


def satisfies(have: str, want: str) -> bool:
    """Whether a version is within bounds such as ``>=4.10,<6``.

    >>> satisfies("5.0.0", ">=4.10,<6"), satisfies("4.9", ">=4.10,<6"), satisfies("6.0rc1", ">=4.10,<6")
    (True, False, False)
    """

    def numbers(text: str) -> tuple[int, ...]:
        return tuple(int(part) for part in re.findall(r"\d+", text.split("+")[0])[:3])

    for bound in filter(None, (part.strip() for part in want.split(","))):
        match = re.match(r"(>=|<=|==|!=|<|>|~=)\s*(.+)", bound)
        if match is None:
            continue
        ours, theirs = numbers(have), numbers(match[2])
        width = max(len(ours), len(theirs))
        a, b = ours + (0,) * (width - len(ours)), theirs + (0,) * (width - len(theirs))
        held = {">=": a >= b, "<=": a <= b, "==": a == b, "!=": a != b, "<": a < b, ">": a > b, "~=": a >= b}
        if not held[match[1]]:
            return False
    return True
