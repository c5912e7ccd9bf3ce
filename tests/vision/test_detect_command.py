"""``pzvision detect``: what it refuses, before anything is written."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

from pzvision.cli import main


def picture(folder: Path, name: str = "a.jpg") -> Path:
    folder.mkdir(exist_ok=True)
    path = folder / name
    cv2.imwrite(str(path), np.full((60, 80, 3), 120, np.uint8))
    return path


def refused(words: list[str], says: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["detect", *words]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.count("\n") == 1 and err.startswith("pzvision: error: ")
    assert says in err


def test_a_missing_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "out"
    refused(
        [str(picture(tmp_path)), str(tmp_path / "b.jpg"), "--out", str(out)], "b.jpg: cannot be read", capsys
    )
    assert not out.exists()


@pytest.mark.parametrize(
    ("content", "says"), [(b"", "is empty"), (b"hello", "not a picture"), (b"\xff\xd8\xff", "not a")]
)
def test_not_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str], content: bytes, says: str) -> None:
    path = tmp_path / "b.jpg"
    path.write_bytes(content)
    refused([str(path), "--json"], says, capsys)


def test_a_folder_is_not_a_picture(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refused([str(tmp_path)], "cannot be read", capsys)


def test_missing_models(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refused([str(picture(tmp_path)), "--models", str(tmp_path)], "missing model finder.onnx", capsys)


def test_a_model_that_is_none(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "finder.onnx").write_bytes(b"no model")
    refused(
        [str(picture(tmp_path)), "--models", str(tmp_path)], "finder.onnx: not a usable ONNX file", capsys
    )


def test_two_pictures_of_one_name(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    a, b = picture(tmp_path / "x"), picture(tmp_path / "y")
    refused([str(a), str(b), "--out", str(tmp_path / "out")], "would both be written as a.tiles.jpg", capsys)


def test_out_is_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refused(
        [str(picture(tmp_path)), "--out", str(picture(tmp_path, "b.jpg"))],
        "is a file; expected a folder",
        capsys,
    )


def test_threads(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    refused([str(picture(tmp_path)), "--threads", "0"], "--threads 0", capsys)
