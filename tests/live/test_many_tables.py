"""Several tables from one process: motion JPEG cameras on loopback, a stand-in detector, real pages."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import numpy as np
import pytest

from pzvision.cli import main
from pzvision.errors import PzvisionError
from pzvision.live.desk import Desk
from pzvision.live.hub import Hub
from pzvision.live.loopback import LoopbackCamera, encode
from pzvision.live.many import GameTable, TableSpec, find_table_calibration, parse_tables, run_tables
from pzvision.live.pipeline import Pipeline, PipelineConfig
from pzvision.live.resume import choose
from pzvision.live.security import Access
from pzvision.live.server import PageServer
from pzvision.live.serving import PageOptions
from pzvision.live.settings import HandMaker, HandSettings
from pzvision.live.store import Store
from pzvision.live.tables_page import TablePage, build_tables_app
from pzvision.vision.batching import Batches
from pzvision.vision.calibration import Calibration
from pzvision.vision.camera import LiveSource
from pzvision.vision.capture import CaptureConfig, Image
from pzvision.vision.detections import Detections

SIZE = (320, 180)
CORNERS = ((0.18, 0.97), (0.82, 0.97), (0.70, 0.05), (0.30, 0.05))
QUICK = CaptureConfig(silent_s=0.5, read_deadline_s=1.0, first_backoff_s=0.05, max_backoff_s=0.2)


def camera(seed: int) -> LoopbackCamera:
    """One scene with a little noise, as a camera at a still table gives."""
    chance = np.random.default_rng(seed)
    scene = chance.integers(60, 90, (SIZE[1] // 4, SIZE[0] // 4, 3)).repeat(4, axis=0).repeat(4, axis=1)
    noisy = [(scene + chance.integers(-2, 3, scene.shape)).astype(np.uint8) for _ in range(8)]
    pictures = [encode(picture) for picture in noisy]
    return LoopbackCamera(pictures, 20.0, pause_s=0.0)


class SlowNetwork:
    """Stands in for a network: says which pictures were in each run, and how many runs were going on."""

    backend = "onnxruntime"
    provider = "stand-in"
    inputs = {"faces": ("n", 1)}  # noqa: RUF012
    outputs = ("kinds",)
    metadata: dict[str, str] = {}  # noqa: RUF012
    pads = False

    def __init__(self) -> None:
        self.inside = self.most = 0
        self.asked: list[list[int]] = []

    def run(self, feed: np.ndarray) -> list[np.ndarray]:
        self.inside += 1
        self.most = max(self.most, self.inside)
        self.asked.append(feed[:, 0].tolist())
        time.sleep(0.02)
        self.inside -= 1
        return [feed.astype(np.float32)]


class Shared:
    """One stand-in detector of all tables."""

    def __init__(self) -> None:
        self.network = SlowNetwork()
        self.batches = Batches()

    def of(self, calibration: Calibration, kind: int) -> Callable[[Image], Detections]:
        """As a table asks it: it sees three tiles of that kind."""
        centres = np.array([[0.0, 0.0], [6.0, 0.0], [-6.0, 3.0]])
        half = np.array([[-1.3, 1.7], [1.3, 1.7], [1.3, -1.7], [-1.3, -1.7]])
        faces = np.concatenate([centres[:, None] + half, np.full((3, 4, 1), 2.1)], axis=2)
        polygons = calibration.to_image(faces.reshape(-1, 3)).reshape(3, 4, 2).astype(np.float32)
        network = self.batches.share(self.network)

        def detect(image: Image) -> Detections:
            (said,) = network.run(np.full((3, 1), kind, np.uint8))
            probs = np.full((3, 29), 0.002, np.float32)
            probs[np.arange(3), said[:, 0].astype(int)] = 0.94
            return Detections(
                polygons, probs / probs.sum(axis=1, keepdims=True), np.full(3, 0.9, np.float32), SIZE
            )

        return detect


@dataclass
class Tables:
    """Two running tables."""

    tables: list[GameTable]
    cameras: list[LoopbackCamera]
    shared: Shared
    store: Store
    url: str

    def get(self, path: str) -> Any:
        return httpx.get(self.url + path, timeout=10).json()

    def wait_for(self, what: Callable[[], bool], within: float = 15.0) -> None:
        until = time.monotonic() + within
        while not what():
            assert time.monotonic() < until, self.get("health")
            time.sleep(0.02)


@pytest.fixture
def two(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> Iterator[Tables]:
    """Tables A and 二桌, each with its camera, calibration and evening."""
    shared, store = Shared(), Store(tmp_path / "s.sqlite")
    cameras = [camera(1), camera(2)]
    tables = []
    for i, (name, near) in enumerate((("A", "E"), ("二桌", "S"))):
        calibration = Calibration(SIZE, CORNERS, near_seat=near)  # type: ignore[arg-type]
        source = LiveSource.open(cameras[i].url, QUICK)
        hub, desk, maker = Hub(), Desk(), HandMaker(calibration, HandSettings("pzh-popular"))
        writer = store.begin(f"{name}=x", {**maker.settings.to_json(), "table": name})
        hub.keep(writer.keep)
        hub.publish({"type": "session", "id": writer.id, "state": "begun"})
        pipeline = Pipeline(
            source,
            calibration,
            maker,
            shared.of(calibration, 3 + 6 * i),
            config=PipelineConfig(look_s=0.1, refresh_s=0.1),
            hub=hub,
            desk=desk,
            store=writer,
        )
        tables.append(GameTable(name, source, pipeline, hub, desk, writer))
    thread = threading.Thread(target=run_tables, args=(tables,), kwargs={"options": PageOptions(0)})
    thread.start()
    said = ""
    until = time.monotonic() + 10
    while "http://" not in said and time.monotonic() < until:
        time.sleep(0.05)
        said += capsys.readouterr().out
    url = said[said.index("http://") :].split()[0]
    yield Tables(tables, cameras, shared, store, url)
    for table in tables:
        table.source.stop()
    thread.join(15)
    alive = thread.is_alive()
    for each in cameras:
        each.close()
    store.close()
    assert not alive, "the tables end when they are stopped"


def test_each_table_has_its_own_pages_game_and_evening(two: Tables) -> None:
    two.wait_for(lambda: all(len(t.pipeline.reader.tiles) == 3 for t in two.tables))
    two.wait_for(
        lambda: all(table["ok"] for table in two.get("tables")["tables"])
    )  # a starved camera is lost
    listed = two.get("tables")["tables"]
    assert [(table["name"], table["ok"]) for table in listed] == [("A", True), ("二桌", True)]
    a, b = (table["path"] for table in listed)
    assert (a, b) == ("t/A/", "t/%E4%BA%8C%E6%A1%8C/")
    assert 'id="tables"' in httpx.get(two.url).text and 'id="felt"' in httpx.get(two.url + b).text
    assert httpx.get(two.url + "t/A").headers["location"].endswith("/t/A/")
    for path in ("static/app.js", "static/tables.js", "tiles/5m.svg", a + "static/app.js", b + "overlay"):
        assert httpx.get(two.url + path).status_code == 200, path
    for path in ("state", "events", "api/log", "t/C/state", "t/A/B/state"):
        assert httpx.get(two.url + path).status_code == 404, path

    two.wait_for(lambda: all(len(two.get(p + "state")["tiles"]) == 3 for p in (a, b)))
    states = [two.get(path + "state") for path in (a, b)]
    assert [{tile["tile"] for tile in state["tiles"]} for state in states] == [{"4m"}, {"1s"}]
    assert [state["near_seat"] for state in states] == ["E", "S"]

    # What a person sets at one table is that table's alone, on its page and in its evening.
    answer = httpx.post(two.url + b + "api/hand", json={"when": "next", "base": 7}, timeout=10)
    assert answer.status_code == 200
    assert [two.get(path + "state")["next"]["base"] for path in (a, b)] == [1, 7]
    evenings = two.store.sessions()
    assert [evening.setup["table"] for evening in evenings] == ["A", "二桌"]
    assert [len(two.store.read(e.id).of_type("settings")) for e in evenings] == [0, 1]
    page = httpx.get(two.url + b + "overlay/loader.html?width=800").text
    assert f"{two.url}{b}overlay?width=800" in page


def test_they_share_one_detector_in_fair_turn(two: Tables) -> None:
    network = two.shared.network
    two.wait_for(lambda: len(network.asked) > 60)
    asked = network.asked[20:60]
    assert network.most == 1
    assert min(sum(kind in run for run in asked) for kind in (3, 9)) >= 12, asked


def test_a_lost_camera_is_one_tables_trouble(two: Tables) -> None:
    two.wait_for(lambda: bool(two.get("health")["ok"]))
    two.cameras[0].close()
    two.wait_for(lambda: not two.get("health")["ok"])
    health = two.get("health")
    assert httpx.get(two.url + "health").status_code == 503
    assert [health["tables"][name]["ok"] for name in ("A", "二桌")] == [False, True]
    paths = [table["path"] for table in two.get("tables")["tables"]]
    assert [httpx.get(two.url + path + "health").status_code for path in paths] == [503, 200]


def test_an_error_ends_one_table_only(two: Tables, monkeypatch: pytest.MonkeyPatch) -> None:
    two.wait_for(lambda: all(len(t.pipeline.reader.tiles) == 3 for t in two.tables))
    monkeypatch.setattr(two.tables[0].pipeline, "_take", lambda *_: 1 // 0)
    two.wait_for(lambda: two.tables[0].error is not None)
    assert two.tables[0].error == "ZeroDivisionError: integer division or modulo by zero"
    before = two.tables[1].pipeline._looks
    two.wait_for(lambda: two.tables[1].pipeline._looks > before + 5)
    assert two.get("tables")["tables"][0]["over"] is True


def test_an_evening_is_gone_on_with_table_by_table(tmp_path: Path) -> None:
    store = Store(tmp_path / "s.sqlite")
    for table in ("A", "B", None):
        extra = {} if table is None else {"table": table}
        writer = store.begin("x", {**HandSettings("pzh-popular").to_json(), **extra})
        hub = Hub()
        hub.keep(writer.keep)
        hub.publish({"type": "session", "id": writer.id, "state": "begun"})
    found = [choose(store, resume=True, new=False, lang="zh", table=t) for t in ("A", "B", None)]
    assert [None if f is None else f.id for f in found] == [1, 2, 3]
    with pytest.raises(PzvisionError, match="of table C"):
        choose(store, resume=True, new=False, lang="zh", table="C")
    store.close()


def test_the_token_guards_every_table() -> None:
    app = build_tables_app([TablePage("A", Hub(), Desk())], Access("0.0.0.0", "secret"))
    server = PageServer(app, 0)
    server.start()
    with httpx.Client(base_url=server.url) as client:
        for path in ("/", "/tables", "/t/A/", "/t/A/state", "/t/A/events", "/t/static/state", "/t/A/api/log"):
            assert client.get(path).status_code == 401, path
        for path in (
            "/health",
            "/t/A/health",
            "/t/A/static/app.js",
            "/static/tables.js",
            "/t/A/tiles/5m.svg",
        ):
            assert client.get(path).status_code == 200, path
        answer = client.get("/t/A/?token=secret")
        assert answer.status_code == 303 and answer.headers["location"] == "/t/A/"
        assert client.get("/t/A/state").status_code == 200
        foreign = {"Origin": "http://evil.example"}
        assert client.post("/t/A/api/pause", json={"paused": True}, headers=foreign).status_code == 403
    server.stop()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["A"], "expected NAME=SOURCE"),
        (["=0"], "expected NAME=SOURCE"),
        (["a/b=0"], "expected NAME=SOURCE"),
        (["..=0"], "expected NAME=SOURCE"),
        (["A= "], "expected a webcam number"),
        (["A=0", "A=1"], "A is '0' already"),
        (["A=0", "B=0"], "A watches '0' already"),
        ([f"T{i}={i}" for i in range(33)], "expected at most 32"),
    ],
)
def test_bad_tables(words: list[str], expected: str) -> None:
    with pytest.raises(PzvisionError, match="--table") as caught:
        parse_tables(words)
    assert expected in str(caught.value)


def test_tables_round_trip() -> None:
    specs = parse_tables(["A=0", "二桌=rtsp://x/?a=b"])
    assert specs == (TableSpec("A", "0"), TableSpec("二桌", "rtsp://x/?a=b"))
    assert parse_tables([spec.format() for spec in specs]) == specs


def test_every_table_has_its_own_calibration(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    spec = TableSpec("A", "0")
    with pytest.raises(PzvisionError, match="pzvision calibrate SOURCE --camera A"):
        find_table_calibration(spec, None)
    Path("calibration").mkdir()
    Path("calibration/A.toml").touch()
    assert find_table_calibration(spec, None) == Path("calibration/A.toml")
    with pytest.raises(PzvisionError, match="--table B"):
        find_table_calibration(TableSpec("B", "1"), Path("calibration"))
    with pytest.raises(PzvisionError, match="give a folder"):
        find_table_calibration(spec, Path("calibration/A.toml"))
    Path("recordings").mkdir()
    Path("recordings/a.mp4").touch()
    Path("recordings/calibration.json").touch()
    found = find_table_calibration(TableSpec("A", "recordings/a.mp4"), None)
    assert found == Path("recordings/calibration.json")


@pytest.mark.parametrize(
    ("more", "expected"),
    [
        (["--dealer", "E"], "--dealer: cannot be given with --table"),
        (["--events", "x.jsonl"], "--events: cannot be given with --table"),
        (["--voice"], "--voice: cannot be given with --table"),
        (["--resume", "--new"], "give one of them"),
        ([], "no calibration"),
    ],
)
def test_bad_commands(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    more: list[str],
    expected: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    status = main(["live", "--table", "A=0", "--table", "B=1", "--ruleset", "pzh-popular", *more])
    err = capsys.readouterr().err
    assert status == 2 and err.count("\n") == 1 and expected in err
    assert not list(tmp_path.iterdir())


@pytest.mark.browser
def test_the_list_leads_to_each_table(two: Tables, page: Any, watcher: Any) -> None:
    page.set_viewport_size({"width": 390, "height": 800})
    page.goto(two.url)
    page.wait_for_selector("#tables li:nth-child(2)")
    assert page.locator("#tables h2").all_inner_texts() == ["A", "二桌"]
    page.wait_for_selector("#tables li:nth-child(1) .pill.ok")
    page.wait_for_selector("#tables li:nth-child(2) .pill.ok")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    page.click("#lang")
    assert page.locator("h1").inner_text().strip() == "Panzhihua mahjong tables"
    page.click("#tables li:nth-child(2) a")
    page.wait_for_selector("#facts a")
    assert page.locator("#facts a").inner_text() == "二桌"
    page.wait_for_selector("#no-frame", state="hidden")
    assert page.evaluate("document.querySelector('#frame').naturalWidth") == SIZE[0]
    page.set_viewport_size({"width": 1280, "height": 900})
    page.click("#overlay")
    address = page.locator("dialog input[readonly], dialog .copyrow input").first.input_value()
    assert address.startswith(f"{two.url}t/%E4%BA%8C%E6%A1%8C/overlay?")
    page.keyboard.press("Escape")
    page.click("#pause")
    page.wait_for_selector("#link:has-text('Paused')")
    assert [table.pipeline.vitals.paused for table in two.tables] == [False, True]
    page.click("#facts a")
    page.wait_for_selector("#tables .pill.over")
    two.cameras[0].close()
    page.wait_for_selector("#tables .pill.bad")
    assert all(request.startswith((two.url, "blob:", "data:")) for request in watcher.requests)
    assert not [line for line in watcher.console if "503" not in line], watcher.console
