"""Which recordings are meant by what is written on the command line."""

from __future__ import annotations

from pathlib import Path

import pytest

from pzvision.batch.recordings import find_recordings
from pzvision.errors import PzvisionError


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    for name in (
        *("a/2.mp4", "a/10.MP4", "a/notes.txt", "a/deep er/x.mkv", "a/.hidden.mp4", "a/.h/y.mp4"),
        *("b/0.jpg", "b/1.jpg", "c/readme", "d/v.mov", "d/cover.jpg", "out/old.mp4"),
    ):
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_bytes(b"x")
    return tmp_path


def names(tree: Path, *words: str, skip: str | None = None) -> list[str]:
    found = find_recordings([str(tree / w) for w in words], None if skip is None else tree / skip)
    return [str(r.path.relative_to(tree.resolve())) for r in found]


def test_folders_are_searched_and_pictures_are_one_recording(tree: Path) -> None:
    assert names(tree, "a") == ["a/2.mp4", "a/10.MP4", "a/deep er/x.mkv"]
    assert names(tree, "b") == ["b"]
    assert names(tree, "d") == ["d/v.mov"]  # a picture beside a video is no recording
    assert "out/old.mp4" not in names(tree, "", skip="out") and "out/old.mp4" in names(tree, "")


def test_videos_by_name_each_once_in_the_order_given(tree: Path) -> None:
    assert names(tree, "d/v.mov", "a/2.mp4", "d", "a/2.mp4") == ["d/v.mov", "a/2.mp4"]


def test_a_list_is_relative_to_itself(tree: Path) -> None:
    (tree / "list.txt").write_text("# evenings\n\na/2.mp4\n  b  \n" + str(tree / "d/v.mov"), encoding="utf-8")
    assert names(tree, "list.txt") == ["a/2.mp4", "b", "d/v.mov"]


def test_names_of_results_are_readable_stable_and_never_the_same(tree: Path) -> None:
    (tree / "一 局").mkdir()
    for name in ("一 局/2.mp4", "一 局/牌 桌.mp4", "一 局/...mp4"):
        (tree / name).write_bytes(b"x")
    alone = find_recordings([str(tree / "a/2.mp4")])[0].name
    found = find_recordings([str(tree)])
    assert alone in [r.name for r in found] and alone.startswith("2-")
    assert len({r.name for r in found}) == len(found)
    assert any(r.name.startswith("牌_桌-") for r in found)
    assert all("/" not in r.name and not r.name.startswith(".") for r in found)


@pytest.mark.parametrize(
    ("word", "text", "said"),
    [
        ("nothing.mp4", None, "no such recording: "),
        ("c", None, "no recordings in the folder "),
        ("b/0.jpg", None, "is a picture; expected a video or a folder of pictures"),
        ("l.txt", "", "names no recording (expected a path a line)"),
        ("l.txt", "# only\n", "names no recording (expected a path a line)"),
        ("l.txt", "a/2.mp4\ngone.mp4\n", "line 2: no such recording: "),
        ("l.txt", "other.txt\n", "line 1: 'other.txt' is a list: expected a recording"),
    ],
)
def test_what_is_no_recording_is_named(tree: Path, word: str, text: str | None, said: str) -> None:
    if text is not None:
        (tree / word).write_text(text)
    with pytest.raises(PzvisionError) as caught:
        find_recordings([str(tree / word)])
    assert said in str(caught.value) and "\n" not in str(caught.value)


def test_a_list_that_is_no_text(tree: Path) -> None:
    (tree / "l.txt").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(PzvisionError, match="not UTF-8 text"):
        find_recordings([str(tree / "l.txt")])
