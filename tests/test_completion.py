"""``pzvision completion``: the scripts in the shells themselves."""

from __future__ import annotations

import os
import re
import select
import shutil
import subprocess
import time
from pathlib import Path

import pytest

from pzvision.cli import COMMANDS, build_parser, main
from pzvision.commands._completion import commands_of, script
from pzvision.rules import ruleset_ids

DRIVER = r"""
source "$1"; shift
COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1))
_pzvision 2>/dev/null
printf '%s\n' "${COMPREPLY[@]}"
"""


def needs(shell: str) -> str:
    found = shutil.which(shell)
    if found is None:
        pytest.skip(f"no {shell} here")
    return found


@pytest.fixture(scope="module")
def scripts(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    folder = tmp_path_factory.mktemp("scripts")
    parser = build_parser()
    out = {}
    for shell in ("bash", "zsh", "fish"):
        out[shell] = folder / ("_pzvision" if shell == "zsh" else f"pzvision.{shell}")
        out[shell].write_text(script(shell, parser, "en"), encoding="utf-8")
    return out


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "evening.mp4").touch()
    (tmp_path / "晚上 一.mp4").touch()
    (tmp_path / "evenings").mkdir()
    return tmp_path


def bash(scripts: dict[str, Path], folder: Path, *words: str) -> list[str]:
    """What bash is offered for the last word, being typed."""
    done = subprocess.run(
        [needs("bash"), "--norc", "-c", DRIVER, "bash", str(scripts["bash"]), "pzvision", *words],
        cwd=folder,
        capture_output=True,
        encoding="utf-8",
        timeout=30,
        check=True,
    )
    assert done.stderr == ""
    return [line for line in done.stdout.split("\n") if line]


@pytest.mark.parametrize(
    ("words", "offers"),
    [
        (["re"], ["replay", "render"]),
        (["replay", "--ob"], ["--observations"]),
        (["batch", "--ga"], ["--gate"]),
        (["replay", "--ruleset", "pzh-h"], ["pzh-huoque"]),
        (["replay", "x.mp4", "--base", "2", "--ruleset", "xi"], ["xichang"]),
        (["rules", "--diff", "xichang", "pzh-p"], ["pzh-popular"]),
        (["replay", "--dealer", ""], ["E", "S", "W", "N"]),
        (["replay", "--option", "must"], ["must_win_tiles="]),
        (["replay", "--backend", "o"], ["onnxruntime", "openvino"]),
        (["render", "--disturb", "cup", "b"], ["bump"]),
        (["render", "--river", "h"], ["heap"]),
        (["sessions", "export", "l"], ["last"]),
        (["evaluate", "--ablate", "d"], ["decoder"]),
        (["completion", ""], ["bash", "zsh", "fish"]),
        (["replay", "eve"], ["evening.mp4", "evenings"]),
        (["replay", "--all", "eve"], ["evening.mp4", "evenings"]),
        (["replay", "晚"], ["晚上 一.mp4"]),
        (["batch", "a.mp4", "eve"], ["evening.mp4", "evenings"]),
        (["batch", "a.mp4", "--out", "eve"], ["evenings"]),
        (["replay", "--calibration", "evening."], ["evening.mp4"]),
        (["replay", "--base", ""], []),
        (["calibrate", "--corners", "1,2", "3,4", "eve"], []),
        (["calibrate", "--corners", "1,2", "3,4", "5,6", "7,8", "evening."], ["evening.mp4"]),
    ],
)
def test_bash(scripts: dict[str, Path], files: Path, words: list[str], offers: list[str]) -> None:
    assert sorted(bash(scripts, files, *words)) == sorted(offers)


def test_every_command_and_option_is_offered(scripts: dict[str, Path], files: Path) -> None:
    assert set(bash(scripts, files, "")) == {*COMMANDS, "--help", "--version"}
    for command in commands_of(build_parser(), "zh"):
        names = {name for option in command.options for name in option.names}
        assert set(bash(scripts, files, command.name, "-")) == names - {"-h"}, command.name


def typed(argv: list[str], setup: str, keys: str, folder: Path) -> str:
    """What an interactive shell shows after these keys on an empty line, Tab among them."""
    import pty

    pid, fd = pty.fork()
    if pid == 0:
        os.chdir(folder)
        os.environ.update(TERM="xterm", PS1="> ", LC_ALL="C.UTF-8", HOME=str(folder), HISTFILE="")
        os.execv(argv[0], argv)

    def read(until: str, seconds: float) -> str:
        got, end = "", time.monotonic() + seconds
        while time.monotonic() < end and not re.search(until, got):
            if select.select([fd], [], [], 0.1)[0]:
                try:
                    got += os.read(fd, 4096).decode(errors="replace")
                except OSError:
                    break
        return got

    try:
        os.write(fd, f"{setup}; echo rea''dy\n".encode())
        assert "ready" in read(r"ready", 30)
        read(r"> $", 1)
        os.write(fd, keys.encode())
        return read(r"xichang", 15)
    finally:
        os.write(fd, b"\x15exit\n")
        os.close(fd)
        os.waitpid(pid, 0)


@pytest.mark.skipif(os.name != "posix", reason="a POSIX terminal")
@pytest.mark.parametrize("shell", ["bash", "zsh"])
def test_tab_in_an_interactive_shell(scripts: dict[str, Path], files: Path, shell: str) -> None:
    program = needs(shell)
    setup = f"source '{scripts[shell]}'"
    if shell == "zsh":
        setup = f"autoload -U compinit; compinit -u -D; {setup}"
    shown = typed([program, "--norc" if shell == "bash" else "-f", "-i"], setup, "pzvision rules xi\t", files)
    assert "rules xichang" in re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]|\x08|\r", "", shown)


@pytest.mark.parametrize(
    ("line", "offers"),
    [
        ("pzvision re", {"replay", "render"}),
        ("pzvision replay --ob", {"--observations"}),
        ("pzvision replay --ruleset pzh-h", {"pzh-huoque"}),
        ("pzvision rules xi", {"xichang"}),
        ("pzvision replay evening.", {"evening.mp4"}),
        ("pzvision batch a.mp4 --out evenin", {"evenings/"}),
    ],
)
def test_fish(scripts: dict[str, Path], files: Path, line: str, offers: set[str]) -> None:
    done = subprocess.run(
        [needs("fish"), "--no-config", "-c", f"source '{scripts['fish']}'; complete -C '{line}'"],
        cwd=files,
        env={**os.environ, "HOME": str(files)},
        capture_output=True,
        encoding="utf-8",
        timeout=60,
        check=True,
    )
    assert {row.split("\t")[0] for row in done.stdout.splitlines()} == offers


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_command_prints_it(shell: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["completion", shell, "--lang", "zh"]) == 0
    out = capsys.readouterr().out
    assert all(name in out for name in COMMANDS) and all(id_ in out for id_ in ruleset_ids())
    assert ("标定" in out) == (shell != "bash")
