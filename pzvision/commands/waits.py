"""``pzvision waits``: one hand per line in, what it waits for and what that is worth out."""

from __future__ import annotations

import argparse

from pzvision.messages.rules import MESSAGES
from pzvision.rules.arguments import add_output_arguments, add_ruleset_arguments

SUMMARY = MESSAGES["rules.summary.waits"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """``--ruleset``, ``--option``, ``--json``, ``--lang``."""
    add_ruleset_arguments(parser)
    add_output_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Answer every good record; 2 when there was a bad one."""
    from pzvision.commands._records import CONCEALED, RULESET, answer_all
    from pzvision.rules.records import WaitsRecord
    from pzvision.rules.report import waits_lines

    needs = {"ruleset": RULESET, "concealed": CONCEALED}
    return answer_all(args, WaitsRecord.parse, WaitsRecord.answer, waits_lines, needs)
