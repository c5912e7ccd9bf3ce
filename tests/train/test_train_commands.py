"""``pzvision train`` and ``train-data``: clear refusals, and a contact sheet."""

from __future__ import annotations

from pathlib import Path

import cv2
import numpy as np
import pytest

pytest.importorskip("torch")
pytest.importorskip("ultralytics")

from pzvision.cli import main


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["train"], "nothing to do"),
        (["train", "--recipe", "none.yaml"], "none.yaml: cannot be read"),
        (["train", "--recipe", "r.yaml", "--minutes", "0"], "--minutes 0"),
        (["train", "--recipe", "r.yaml", "--start", "none.pt"], "none.pt: no such file"),
        (["train", "--recipe", "r.yaml", "--start", "broken.pt"], "broken.pt: cannot be read"),
        (["train", "--out", "run", "--export", "models"], "finder.pt: no such file"),
        (["train", "--evaluate", "models", "--photos", "nowhere"], "nowhere: no such folder"),
        (["train", "--evaluate", "models"], "missing model finder.onnx"),
        (["train-data", "--recipe", "none.yaml"], "none.yaml: cannot be read"),
        (["train-data", "--recipe", "r.yaml", "--samples", "0"], "--samples 0"),
    ],
)
def test_refusals(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    words: list[str],
    says: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "r.yaml").write_text("name: a\nsources: [{name: b, kind: composites, share: 1}]")
    (tmp_path / "broken.pt").write_bytes(b"no checkpoint")
    before = {p.name for p in tmp_path.iterdir()}
    assert main(words) == 2
    err = capsys.readouterr().err
    assert says in err and err.startswith("pzvision: error: ") and err.count("\n") == 1
    assert {p.name for p in tmp_path.iterdir()} - before <= {"run", "runs"}


def test_a_contact_sheet(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    crops = tmp_path / "crops" / "1m"
    crops.mkdir(parents=True)
    cv2.imwrite(str(crops / "own_1.png"), np.full((128, 96, 3), 220, np.uint8))
    recipe = tmp_path / "r.yaml"
    recipe.write_text(
        "name: a\nsources: [{name: c, kind: composites, share: 1, count: 2, seed: 3, crops: crops}]"
    )
    sheet = tmp_path / "sheet.png"
    words = ["train-data", "--recipe", str(recipe), "--built", str(tmp_path / "b"), "--preview", str(sheet)]
    assert main([*words, "--samples", "4"]) == 0
    picture = cv2.imread(str(sheet))
    assert picture is not None and picture.shape == (1024, 1024, 3) and picture.std() > 5
