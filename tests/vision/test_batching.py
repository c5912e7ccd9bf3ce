"""Networks of several tables in one run: the same numbers, in turn, an error for whom it concerns only."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

from pzvision.errors import PzvisionError
from pzvision.synth.scenes import SceneConfig, random_scene
from pzvision.vision.batching import Batches
from pzvision.vision.detector import OUTLINER_FILE, READER_FILE, TileDetector, find_model
from pzvision.vision.session import Network, open_network, source_digest
from pzvision.vision.tile_set import TileSet

Rows = list[np.ndarray]


class Doubler:
    """Doubles its pictures; waits for the gate; refuses zeros."""

    backend = "onnxruntime"
    provider = "stand-in"
    outputs = ("twice",)
    metadata: dict[str, str] = {}  # noqa: RUF012
    pads = False

    def __init__(self, *shape: int | str) -> None:
        self.inputs = {"pictures": shape or ("n", 2)}
        self.gate = threading.Event()
        self.gate.set()
        self.runs: list[list[int]] = []

    def run(self, feed: np.ndarray) -> Rows:
        self.runs.append(feed[:, 0].tolist())
        self.gate.wait(10)
        if not feed.all():
            raise PzvisionError("zeros")
        return [feed.astype(np.float32) * 2]


def all_at_once(batches: Batches, network: Doubler, feeds: list[np.ndarray]) -> list[Rows | Exception]:
    """Each feed asked for in its own thread, one after the other, while the first holds the network."""
    shared = batches.share(network)
    answers: list[Rows | Exception] = [[]] * len(feeds)

    def ask(index: int) -> None:
        try:
            answers[index] = shared.run(feeds[index])
        except Exception as error:
            answers[index] = error

    threads = [threading.Thread(target=ask, args=(i,)) for i in range(len(feeds))]
    network.gate.clear()
    for i, thread in enumerate(threads):
        thread.start()
        until = time.monotonic() + 10
        while (batches.waiting < i or not network.runs) and time.monotonic() < until:
            time.sleep(0.001)
    network.gate.set()
    for thread in threads:
        thread.join(10)
    return answers


def rows(*values: int, width: int = 2) -> np.ndarray:
    return np.repeat(np.array(values, np.uint8)[:, None], width, axis=1)


def test_what_waits_for_the_same_network_is_run_together() -> None:
    batches, network = Batches(), Doubler()
    feeds = [rows(1), rows(2, 3), rows(4), rows(5, width=3), rows(6)]
    answers = all_at_once(batches, network, feeds)
    for feed, answer in zip(feeds, answers, strict=True):
        assert isinstance(answer, list)
        np.testing.assert_array_equal(answer[0], feed * 2.0)
    assert network.runs == [[1], [2, 3, 4, 6], [5]]
    assert (batches.asked, batches.runs, batches.waiting) == (5, 3, 0)


def test_a_network_for_one_picture_takes_them_in_the_order_in_which_they_came() -> None:
    network = Doubler(1, 2)
    all_at_once(Batches(), network, [rows(i) for i in range(1, 9)])
    assert network.runs == [[i] for i in range(1, 9)]


def test_a_run_takes_so_many_pictures_at_most() -> None:
    network = Doubler()
    all_at_once(Batches(most_rows=3), network, [rows(1), rows(2), rows(3, 4), rows(5, 6, 7, 8), rows(9)])
    assert network.runs == [[1], [2, 3, 4], [5, 6, 7, 8], [9]]
    with pytest.raises(ValueError, match="most_rows: expected at least 1, got 0"):
        Batches(0)


def test_an_error_reaches_only_whose_pictures_cause_it() -> None:
    batches, network = Batches(), Doubler()
    answers = all_at_once(batches, network, [rows(1), rows(2), rows(0), rows(3)])
    assert network.runs == [[1], [2, 0, 3], [2], [0], [3]]
    assert isinstance(answers[2], PzvisionError)
    assert [a[0][0, 0] for a in answers if isinstance(a, list)] == [2, 4, 6]
    np.testing.assert_array_equal(batches.share(network).run(rows(7))[0], rows(7) * 2.0)


@pytest.fixture
def hammered() -> Iterator[Callable[[Batches, Doubler], list[int]]]:
    """Eight threads ask as fast as they can for a while; how often each was served."""

    def run(batches: Batches, network: Doubler) -> list[int]:
        served, over = [0] * 8, threading.Event()
        wrong: list[int] = []

        def ask(index: int) -> None:
            shared, feed = batches.share(network), rows(*[index + 1] * (index + 1))
            while not over.is_set():
                if not np.array_equal(shared.run(feed)[0], feed * 2.0):
                    wrong.append(index)
                served[index] += 1

        threads = [threading.Thread(target=ask, args=(i,)) for i in range(8)]
        for thread in threads:
            thread.start()
        time.sleep(0.5)
        over.set()
        for thread in threads:
            thread.join(10)
        assert not wrong and not any(thread.is_alive() for thread in threads)
        return served

    yield run


@pytest.mark.parametrize("shape", [("n", 2), (1, 2)])
def test_everyone_gets_their_own_answers_and_nobody_starves(
    hammered: Callable[[Batches, Doubler], list[int]], shape: tuple[int | str, ...]
) -> None:
    class Slow(Doubler):
        def run(self, feed: np.ndarray) -> Rows:
            time.sleep(0.002)
            return [feed.astype(np.float32) * 2]

    batches = Batches()
    served = hammered(batches, Slow(*shape))
    assert min(served) >= 0.6 * max(served) > 0, served
    assert batches.waiting == 0


@pytest.mark.parametrize("name", [READER_FILE, "reader.int8.onnx", OUTLINER_FILE])
def test_real_networks_answer_alike_alone_and_together(name: str) -> None:
    network: Network = open_network(find_model(name), 1, "onnxruntime")
    faces = np.random.default_rng(1).integers(0, 255, (9, 48, 48, 3)).astype(np.uint8)
    together = network.run(faces)
    alone = [network.run(part) for part in (faces[:4], faces[4:])]
    for i, answer in enumerate(together):
        np.testing.assert_allclose(np.concatenate([a[i] for a in alone]), answer, atol=2e-4)


def test_tables_share_networks_but_not_tile_sets() -> None:
    detector = TileDetector(threads=1, backend="onnxruntime", exact=True)
    batches = Batches()
    mine, other = detector.sharing(batches), detector.sharing(batches)
    config = SceneConfig(tile_px=(40, 60))
    images = [random_scene(np.random.default_rng(i), size=(640, 480), config=config).image for i in (1, 2)]
    expected = [detector(image) for image in images]
    with ThreadPoolExecutor(2) as pool:
        found = list(pool.map(lambda look, image: look(image), (mine, other), images))
    for seen, right in zip(found, expected, strict=True):
        assert len(right) > 0
        np.testing.assert_array_equal(seen.class_ids, right.class_ids)
        np.testing.assert_allclose(seen.polygons, right.polygons, atol=0.05)
        np.testing.assert_allclose(seen.probs, right.probs, atol=5e-3)
    assert batches.asked > 8 and detector.runs_on == mine.runs_on

    reader = detector.stages[1]
    assert reader is not None
    bias = np.zeros(28, np.float32)
    taught = TileSet("five", source_digest(reader.model), np.zeros((768, 28), np.float32), bias)
    with_set = detector.sharing(batches, taught)
    assert [d.stages[1].tile_set for d in (with_set, mine, detector)] == [taught, None, None]  # type: ignore[union-attr]
    with pytest.raises(PzvisionError, match="made for another reader"):
        detector.sharing(batches, TileSet("old", "0" * 64, np.zeros((768, 28), np.float32), bias))
