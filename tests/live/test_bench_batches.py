"""Several pictures in one run of the finder's first half: the same numbers as one by one."""

from __future__ import annotations

import numpy as np
import pytest

from pzvision.live.bench_batches import first_half, measure, open_half
from pzvision.vision.detector import FINDER_FILE, READER_FILE, find_model


def test_the_first_half_takes_any_number_of_pictures() -> None:
    pytest.importorskip("onnx", reason="onnx is not installed (extra train)")
    half = first_half(find_model(FINDER_FILE).read_bytes())
    session = open_half(half, 1)
    pictures = np.random.default_rng(1).integers(0, 255, (3, 96, 160, 3)).astype(np.uint8)
    (together,) = session.run(None, {"image": pictures})
    alone = [session.run(None, {"image": pictures[i : i + 1]})[0][0] for i in range(3)]
    assert together.shape[0] == 3 and together.ndim == 4
    np.testing.assert_allclose(together, np.stack(alone), atol=1e-4)
    assert not np.allclose(alone[0], alone[1])
    assert 0 < measure(session, pictures, 2, 3) < 1000


def test_a_network_without_attention_is_refused() -> None:
    pytest.importorskip("onnx", reason="onnx is not installed (extra train)")
    with pytest.raises(ValueError, match="attention"):
        first_half(find_model(READER_FILE).read_bytes())
