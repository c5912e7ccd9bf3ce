"""JSONL in, JSONL or a table out: the loop of ``pzvision score`` and ``pzvision waits``."""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, BinaryIO, TypeVar

from pzvision.errors import FormatError
from pzvision.rules.records import load_record

Parsed = TypeVar("Parsed")


def stdin_lines(source: BinaryIO | None = None) -> Iterator[bytes]:
    """The lines of standard input that are not blank, undecoded, with nothing replaced."""
    yield from sys.stdin.buffer if source is None else source


def read_records(
    lines: Iterable[bytes], parse: Callable[[Mapping[str, Any]], Parsed], report: Callable[[str], None]
) -> Iterator[Parsed]:
    """Parse each non-blank line; a bad one is reported in one line and skipped.

    The report names the line (1-based), the record's id if it has one, the field and what is wrong with it.
    Nothing is raised: a `FormatError` of ``parse`` becomes such a report.
    """
    for number, raw in enumerate(lines, start=1):
        if not raw.strip():
            continue
        name = f"line {number}"
        try:
            try:
                line = raw.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise FormatError(f"not UTF-8 at byte {error.start}", field="json") from error
            record = load_record(line)
            if "id" in record:
                shown = json.dumps(record["id"])
                name += f", id {shown if len(shown) <= 60 else shown[:57] + '...'}"
            yield parse(record)
        except FormatError as error:
            report(f"{name}: {error.field or 'record'}: {error}")


def json_line(answer: Mapping[str, object]) -> str:
    """One line of JSON; text that is no valid UTF-8 (lone surrogates) is escaped."""
    text = json.dumps(answer, ensure_ascii=False)
    try:
        text.encode("utf-8")
    except UnicodeEncodeError:
        return json.dumps(answer)
    return text


def wants_table(json_asked: bool) -> bool:
    """A person reads: standard output is a terminal and ``--json`` was not given."""
    return not json_asked and sys.stdout.isatty()
