"""The ``pzvision`` command: finds the subcommand's module and runs it.

Imports next to nothing until `main` has begun, so that Ctrl-C during the slow imports is caught there.
"""

from __future__ import annotations

import errno
import os
import sys

from pzvision import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence
    from types import FrameType, ModuleType

    from pzvision.commands._parser import Parser
    from pzvision.tiles import Lang

COMMANDS: dict[str, str] = {
    "demo": "pzvision.commands.demo",
    "replay": "pzvision.commands.replay",
    "live": "pzvision.commands.live",
    "sessions": "pzvision.commands.sessions",
    "batch": "pzvision.commands.batch",
    "detect": "pzvision.commands.detect",
    "adapt": "pzvision.commands.adapt",
    "bench-detector": "pzvision.commands.bench_detector",
    "calibrate": "pzvision.commands.calibrate",
    "score": "pzvision.commands.score",
    "waits": "pzvision.commands.waits",
    "settle": "pzvision.commands.settle",
    "rules": "pzvision.commands.rules",
    "dice": "pzvision.commands.dice",
    "simulate": "pzvision.commands.simulate",
    "render": "pzvision.commands.render",
    "golden": "pzvision.commands.golden",
    "evaluate": "pzvision.commands.evaluate",
    "doctor": "pzvision.commands.doctor",
    "completion": "pzvision.commands.completion",
    "train": "pzvision.commands.train",
    "train-data": "pzvision.commands.train_data",
}


NEEDED = {
    "cv2": "opencv-python",
    "numpy": "numpy",
    "onnxruntime": "onnxruntime",
    "segno": "segno",
    "starlette": "starlette",
    "tqdm": "tqdm",
    "uvicorn": "uvicorn",
}
"""Modules that every installation has, and the packages they are from."""


class Terminated(KeyboardInterrupt):
    """SIGTERM came: unwinds like Ctrl-C, so that half-written output is cleaned up, and exits with 143."""


def _load(name: str) -> ModuleType:
    import importlib

    return importlib.import_module(COMMANDS[name])


SUMMARY = (
    "攀枝花/西昌麻将牌桌助手:看一整局牌,自动算账。",
    "Reads a whole game of Panzhihua or Xichang mahjong from a camera and settles it.",
)


def build_parser(only: str | None = None, lang: Lang | None = None) -> Parser:
    """The whole parser, or with ``only`` just that subcommand's (fast start). ``lang``: of the help."""
    from pzvision.commands._parser import Parser

    parser = Parser(prog="pzvision")
    parser.summary, parser.lang = SUMMARY, lang
    parser.add_argument("--version", action="version", version=f"pzvision {__version__}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND", required=True)
    for name in [only] if only else COMMANDS:
        module = _load(name)
        sub = commands.add_parser(name, help="\n".join(module.SUMMARY))
        sub.summary, sub.lang = module.SUMMARY, lang
        module.add_arguments(sub)
        sub.set_defaults(run=module.run, parser=sub)
    return parser


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command.

    The exit status is 0, 1 (a finding), 2 (bad input, or output that cannot be written), 130 (interrupted),
    141 (the reader of the output went away) or 143 (terminated). Every error is one line.
    """
    caught = False
    try:
        _prepare_streams()
        caught = _catch_sigterm()
        return _run(list(sys.argv[1:] if argv is None else argv))
    except BrokenPipeError:
        return 141
    except Terminated:
        _say("pzvision: terminated")
        return 143
    except KeyboardInterrupt:
        _say("pzvision: interrupted")
        return 130
    except Exception as error:
        if _interrupted(error):  # Ctrl-C while a compiled module was loading comes out as some other error
            _say("pzvision: interrupted")
            return 130
        line = _explain(error)
        if line is None:
            raise
        _say(f"pzvision: error: {line}")
        return 2
    finally:
        if caught:
            import signal

            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _drain()


def _run(words: list[str]) -> int:
    lang: Lang | None = None
    if "-h" in words or "--help" in words:  # in whichever order they are given
        from pzvision.commands._help import split_lang

        lang, words = split_lang(words)
    if words and words[0].partition("=")[0] == "--lang":  # before the command as well as after it
        given = 1 if "=" in words[0] else 2
        words = [*words[given:], *words[:given]]
    only = words[0] if words and words[0] in COMMANDS else None
    try:
        args, unknown = build_parser(only, lang).parse_known_args(words)
        if unknown:
            args.parser.error(f"unrecognized arguments: {' '.join(unknown)}")
        status = int(args.run(args))
    except SystemExit:
        sys.stdout.flush()  # a help text that could not be written is an error too
        raise
    sys.stdout.flush()
    return status


def _explain(error: Exception) -> str | None:
    """What to tell the user; None for a mistake of ours, which deserves its traceback."""
    from pzvision.errors import PzvisionError

    if isinstance(error, PzvisionError):
        return str(error)
    if isinstance(error, OSError):
        name = error.filename
        if isinstance(name, bytes):
            name = os.fsdecode(name)
        if not isinstance(name, str):
            # What a command writes to files it reports by name itself.
            name = "standard output" if error.errno in (errno.ENOSPC, errno.EIO, errno.EBADF) else None
        reason = error.strerror or str(error) or type(error).__name__
        return f"{name}: {reason}" if name else reason
    package = NEEDED.get((error.name or "").partition(".")[0]) if isinstance(error, ImportError) else None
    if package is not None and isinstance(error, ModuleNotFoundError):
        return f"package {package} is not installed whole ({error}): pip install --force-reinstall pzvision"
    if isinstance(error, ImportError) and (error.name == "cv2" or ".so" in str(error)):
        return (
            f"a system library is missing ({error}); on Debian and Ubuntu: "
            "apt-get install libgl1 libglib2.0-0"
        )
    return None


def _interrupted(error: BaseException | None) -> bool:
    while error is not None:
        if isinstance(error, KeyboardInterrupt):
            return True
        error = error.__cause__ or error.__context__
    return False


# --- standard streams ------------------------------------------------------------------------------------


def _prepare_streams() -> None:
    """Streams that are closed or cannot hold Chinese neither crash a command nor swallow what it says."""
    if sys.stdin is None:
        sys.stdin = open(os.devnull, encoding="utf-8")  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    if sys.stdout is None:
        # Stands in for the missing stream only until the error below is told.
        sys.stdout = open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
        raise OSError(errno.EBADF, "is closed", "standard output")
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="backslashreplace")


def _say(text: str) -> None:
    """One line on standard error, whatever is in it."""
    from contextlib import suppress

    from pzvision.commands._parser import one_line

    with suppress(OSError, ValueError):
        sys.stdout.flush()
    with suppress(OSError, ValueError):
        print(one_line(text), file=sys.stderr, flush=True)


def _drain() -> None:
    """Let the interpreter's own flush at exit succeed where standard output cannot be written."""
    try:
        sys.stdout.flush()
    except OSError:
        try:
            nowhere = os.open(os.devnull, os.O_WRONLY)
            os.dup2(nowhere, sys.stdout.fileno())
            os.close(nowhere)
            sys.stdout.flush()
        except (OSError, ValueError):
            pass
    except ValueError:
        pass


def _catch_sigterm() -> bool:
    """Make SIGTERM raise `Terminated`; whether that was done (nobody else's handler is replaced)."""
    import signal
    import threading

    if threading.current_thread() is not threading.main_thread():
        return False
    if signal.getsignal(signal.SIGTERM) is not signal.SIG_DFL:
        return False
    own = os.getpid()

    def stop(number: int, frame: FrameType | None) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)  # a second one ends the program at once
        if os.getpid() != own:  # a forked worker ends as it would have without us
            os.kill(os.getpid(), signal.SIGTERM)
            return
        raise Terminated

    signal.signal(signal.SIGTERM, stop)
    return True


if __name__ == "__main__":
    raise SystemExit(main())
