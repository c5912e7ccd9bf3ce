"""A built wheel, installed alone: all that the program needs is inside, on every Python it is made for."""

from __future__ import annotations

import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[1]
PYTHONS = ("3.11", "3.12", "3.13")

pytestmark = pytest.mark.slow


def run(*words: str | Path, cwd: Path) -> str:
    """What it prints. Its error output when it fails."""
    done = subprocess.run([str(w) for w in words], cwd=cwd, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{words}: {done.stdout[-2000:]}{done.stderr[-2000:]}"
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built from a copy: a build leaves things in its folder."""
    folder = tmp_path_factory.mktemp("wheel")
    copy = folder / "copy"
    copy.mkdir()
    for name in ("pyproject.toml", "README.md", "LICENSE"):
        shutil.copy(REPO / name, copy)
    for name in ("pzvision", "models"):
        shutil.copytree(REPO / name, copy / name, ignore=shutil.ignore_patterns("__pycache__", ".*"))
    seen = subprocess.run(
        [sys.executable, "-m", "pip", "download", "-q", "--no-deps", "-d", str(folder / "try"), "segno"],
        capture_output=True,
        check=False,
    )
    if seen.returncode:
        pytest.skip("no package index can be reached")
    run(sys.executable, "-m", "pip", "wheel", "-q", "--no-deps", "-w", folder / "dist", copy, cwd=folder)
    (built,) = (folder / "dist").glob("*.whl")
    return built


def interpreter(version: str) -> str:
    """That Python, on the path or under pyenv; skips where it is not installed."""
    found = shutil.which(f"python{version}")
    if found is not None and version in subprocess.run([found, "-V"], capture_output=True, text=True).stdout:
        return found
    for path in sorted((Path.home() / ".pyenv" / "versions").glob(f"{version}.*/bin/python"), reverse=True):
        return str(path)
    pytest.skip(f"Python {version} is not installed")


def test_every_file_of_the_package_is_inside(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        inside = set(archive.namelist())
    files = [p.relative_to(REPO) for p in (REPO / "pzvision").rglob("*") if p.is_file()]
    wanted = {p.as_posix() for p in files if not any(part.startswith((".", "__py")) for part in p.parts)}
    models = {f"pzvision/models/{p.name}" for p in (REPO / "models").glob("*.onnx")}
    assert {"pzvision/models/finder.onnx", "pzvision/live/web/index.html"} <= inside
    assert (wanted | models) - inside == set()
    assert not [name for name in inside if not name.startswith("pzvision")]


@pytest.fixture(scope="module")
def said() -> dict[str, str]:
    """What the demonstration printed, by Python."""
    return {}


@pytest.mark.parametrize("version", PYTHONS)
def test_it_works_in_a_bare_environment(
    wheel: Path, version: str, said: dict[str, str], tmp_path: Path
) -> None:
    run(interpreter(version), "-m", "venv", tmp_path / "bare", cwd=tmp_path)
    python, program = tmp_path / "bare" / "bin" / "python", tmp_path / "bare" / "bin" / "pzvision"
    run(python, "-m", "pip", "install", "-q", wheel, cwd=tmp_path)
    run(python, "-m", "pip", "check", cwd=tmp_path)
    assert run(program, "--version", cwd=tmp_path).startswith("pzvision ")
    run(program, "doctor", "--lang", "en", cwd=tmp_path)
    assert "pzh-popular" in run(program, "rules", cwd=tmp_path)
    said[version] = run(program, "demo", "--no-page", cwd=tmp_path)
    assert said[version].count("\n") > 12 and "第1局" in said[version] and len(set(said.values())) == 1, (
        "the same on all of them"
    )
