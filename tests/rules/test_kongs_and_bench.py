"""Doctests of the package, and the benchmark: it runs, and with -m benchmark it prints its figures."""

from __future__ import annotations

import doctest
import subprocess
import sys

import pytest

from pzvision.rules import bench, hand, is_complete, kongs, readings, text


@pytest.mark.parametrize("module", [hand, kongs, readings, text])
def test_examples_in_docstrings(module: object) -> None:
    result = doctest.testmod(module)  # type: ignore[arg-type]
    assert result.attempted and not result.failed


def test_benchmark_hands_are_different_winning_hands() -> None:
    hands = bench.winning_hands(300)
    assert len({(tuple(counts), tile) for counts, tile in hands}) == 300
    for counts, tile in hands:
        assert sum(counts) == 13
        counts[tile] += 1
        assert is_complete(counts, ())
    assert bench.winning_hands(5, seed=2) != bench.winning_hands(5, seed=3)


@pytest.mark.benchmark
def test_benchmark(capsys: pytest.CaptureFixture[str]) -> None:
    with capsys.disabled():
        assert bench.main(["--hands", "20000"]) == 0


@pytest.mark.slow
def test_a_short_benchmark_has_every_figure(capsys: pytest.CaptureFixture[str]) -> None:
    assert bench.main(["--hands", "50", "--no-peers"]) == 0
    out = capsys.readouterr().out
    assert "pzvision" in out and "hands/s" in out and "MB" in out


@pytest.mark.slow
def test_the_rules_are_light_to_import() -> None:
    """At most 0.3 s of CPU to import and 64 MB of tables; and nothing of cameras or models comes along."""
    figures = bench.measure(hands=50, peers=False)
    assert figures["import_s"] <= 0.3 and figures["table_mb"] <= 64
    heavy = "[m for m in ('cv2', 'onnxruntime', 'starlette') if m in sys.modules]"
    code = f"import sys, pzvision.rules; print({heavy})"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout.strip() == "[]"
