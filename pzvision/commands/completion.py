"""``pzvision completion bash``: a script with which a shell completes the command line."""

from __future__ import annotations

import argparse

SUMMARY = ("输出 shell 的 Tab 补全脚本。", "Completion of commands and options in a shell.")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `pzvision.cli`."""
    parser.add_argument("shell", choices=("bash", "zsh", "fish"))
    parser.add_argument("--lang", choices=("zh", "en"))


def run(args: argparse.Namespace) -> int:
    """See `pzvision.cli`."""
    from pzvision.cli import build_parser
    from pzvision.commands._completion import script
    from pzvision.commands._help import usual_lang
    from pzvision.commands._output import utf8_output

    utf8_output()
    print(script(args.shell, build_parser(), args.lang or usual_lang()), end="")
    return 0
