"""The ``pzvision`` command itself: streams that are closed, full or narrow, signals, one-line errors."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import time
import tomllib
from pathlib import Path

import pytest

from pzvision.cli import COMMANDS, NEEDED, main
from pzvision.commands import dice
from pzvision.commands._parser import one_line

FULL = Path("/dev/full")
POSIX = pytest.mark.skipif(os.name != "posix", reason="POSIX file descriptors and signals")


def program(
    words: str, *, shell: str = "", env: dict[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        ["sh", "-c", f'"{sys.executable}" -m pzvision {words} {shell}'],
        capture_output=True,
        encoding="utf-8",
        env={**os.environ, **(env or {})},
        timeout=60,
        check=False,
    )


def refused(capsys: pytest.CaptureFixture[str], *words: str) -> str:
    """The one line of an error, its status checked."""
    try:
        status = main(words)
    except SystemExit as stop:
        status = stop.code  # type: ignore[assignment]
    out, err = capsys.readouterr()
    assert (status, out) == (2, "") and err.count("\n") == 1 and err.endswith("\n")
    return err[:-1]


@pytest.mark.skipif(not FULL.exists(), reason="no /dev/full here")
@pytest.mark.parametrize("unbuffered", ["", "1"])
@pytest.mark.parametrize("words", ["rules pzh-popular", "simulate", "dice 5 3", "--version", "dice --help"])
def test_a_full_disk_is_one_line(words: str, unbuffered: str) -> None:
    done = program(words, shell=">/dev/full", env={"PYTHONUNBUFFERED": unbuffered})
    assert done.returncode == 2
    assert done.stderr == "pzvision: error: standard output: No space left on device\n"


@POSIX
def test_closed_streams() -> None:
    done = program("dice 5 3", shell=">&-")
    assert (done.returncode, done.stderr) == (2, "pzvision: error: standard output: is closed\n")
    done = program("dice 9 3", shell="2>&-")
    assert (done.returncode, done.stdout, done.stderr) == (2, "", "")
    done = program("score", shell="<&-")
    assert done.returncode == 2 and done.stderr.count("\n") == 1 and "standard input" in done.stderr


@POSIX
def test_a_locale_without_chinese() -> None:
    done = program("--help", env={"LC_ALL": "C", "PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, "") and "Reads a whole game" in done.stdout
    done = program("dice 5 3", env={"LC_ALL": "C", "PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stderr) == (0, "") and "5 + 3 = 8" in done.stdout


@POSIX
def test_a_name_that_the_locale_cannot_decode() -> None:
    env = {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0", "PYTHONIOENCODING": "utf-8"}
    done = program("settle 没有.jsonl", env=env)
    assert done.returncode == 2 and "'没有.jsonl'" in done.stderr


def test_one_line() -> None:
    for decoded in ("牌".encode().decode("ascii", "surrogateescape"), "牌"):
        assert one_line(f"{decoded}.jpg") == one_line(repr(decoded) + ".jpg").replace("'", "") == "牌.jpg"
    assert one_line("a\udcffb") == r"a\xffb"
    assert one_line("a\nb\x1b[31m\u2028c") == r"a\nb\x1b[31m\u2028c"
    assert one_line("攀枝花 \ud800").startswith("攀枝花")


@POSIX
@pytest.mark.parametrize(
    ("number", "status", "says"), [(signal.SIGINT, 130, "interrupted"), (signal.SIGTERM, 143, "terminated")]
)
def test_a_signal_while_it_works(number: int, status: int, says: str, tmp_path: Path) -> None:
    """`render` has made its folder when the signal comes, and leaves nothing."""
    out = tmp_path / "x"
    process = subprocess.Popen(
        [sys.executable, "-m", "pzvision", "render", "--size", "320x180", "--out", str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    )
    part = tmp_path / "x.part"
    until = time.monotonic() + 60
    while not part.exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    process.send_signal(number)
    stdout, stderr = process.communicate(timeout=60)
    assert (process.returncode, stdout) == (status, "")
    assert stderr.splitlines()[-1] == f"pzvision: {says}" and "Traceback" not in stderr
    assert list(tmp_path.iterdir()) == []


@POSIX
def test_an_interruption_during_the_imports() -> None:
    """As soon as our own code runs, Ctrl-C is one line, however slow the imports are."""
    code = (
        "import os, signal, sys\n"
        "class Slow:\n"
        "    def find_spec(self, name, path=None, target=None):\n"
        "        if name == MODULE: os.kill(os.getpid(), signal.SIGINT)\n"
        "sys.meta_path.insert(0, Slow())\n"
        "import runpy\n"
        "sys.argv = ['pzvision', 'dice', '5', '3']\n"
        "runpy.run_module('pzvision', run_name='__main__')\n"
    )
    for module in ("pzvision.cli", "pzvision.commands._parser", "pzvision.game.dice"):
        done = subprocess.run(
            [sys.executable, "-c", code.replace("MODULE", repr(module))],
            capture_output=True,
            encoding="utf-8",
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stdout, done.stderr) == (130, "", "pzvision: interrupted\n"), module


def test_an_error_of_the_system_is_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(args: object) -> int:
        raise PermissionError(13, "Permission denied", "some/file")

    monkeypatch.setattr(dice, "run", fail)
    assert refused(capsys, "dice", "5", "3") == "pzvision: error: some/file: Permission denied"


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["simulate", "--hands", "0"], "--hands '0': expected a whole number from 1"),
        (["simulate", "--hands", "x"], "--hands 'x': expected a whole number from 1"),
        (["simulate", "--hands"], "--hands: expected one argument"),
        (["simulate", "--spice", "3"], "--spice '3': expected a share from 0 to 1"),
        (["dice", "5", "x"], "DIE 'x': expected a whole number"),
        (["dice", "5"], "missing DIE"),
        (["settle", "a.jsonl", "--lang", "fr"], "--lang 'fr': expected one of zh, en"),
        (["render"], "missing --out"),
    ],
)
def test_a_bad_argument_is_one_line(capsys: pytest.CaptureFixture[str], words: list[str], says: str) -> None:
    command = f"pzvision {words[0]}"
    assert refused(capsys, *words) == f"{command}: error: {says}; see {command} --help"


def test_a_bad_command_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    line = refused(capsys, "detekt")
    assert line.startswith("pzvision: error: unknown command 'detekt': expected one of ")
    assert all(name in line for name in COMMANDS)
    assert refused(capsys) == "pzvision: error: missing COMMAND; see pzvision --help"
    assert refused(capsys, "dice", "5", "3", "--a\nb") == (
        r"pzvision dice: error: unknown argument --a\nb; see pzvision dice --help"
    )


@pytest.mark.parametrize("module", sorted(NEEDED))
def test_a_package_that_is_not_there_is_named(
    module: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> int:
        raise ModuleNotFoundError(f"No module named '{module}'", name=f"{module}.part")

    monkeypatch.setattr(dice, "run", fail)
    line = refused(capsys, "dice", "5", "3")
    assert f"package {NEEDED[module]} is not installed whole" in line and "--force-reinstall" in line


def test_packages_an_installation_has_are_those_it_declares() -> None:
    declared = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    names = {re.split(r"[^\w-]", line)[0] for line in declared["project"]["dependencies"]}
    assert set(NEEDED.values()) == names


def test_a_missing_system_library_is_named(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> int:
        raise ImportError("libGL.so.1: cannot open shared object file: No such file or directory")

    monkeypatch.setattr(dice, "run", fail)
    assert "a system library is missing (libGL.so.1" in refused(capsys, "dice", "5", "3")
