"""``pzvision score``: one finished hand per line in, its value out."""

from __future__ import annotations

import argparse

from pzvision.messages.rules import MESSAGES
from pzvision.rules.arguments import add_output_arguments, add_ruleset_arguments

SUMMARY = MESSAGES["rules.summary.score"]


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """``--ruleset``, ``--option``, ``--json``, ``--lang``."""
    add_ruleset_arguments(parser)
    add_output_arguments(parser)


def run(args: argparse.Namespace) -> int:
    """Answer every good record; 2 when there was a bad one."""
    from pzvision.commands._records import CONCEALED, RULESET, WIN, answer_all
    from pzvision.rules.records import ScoreRecord
    from pzvision.rules.report import score_lines

    needs = {"ruleset": RULESET, "concealed": CONCEALED, "win": WIN}
    return answer_all(args, ScoreRecord.parse, ScoreRecord.answer, score_lines, needs)
