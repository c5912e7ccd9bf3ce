"""When announcements stand on the page, for ``python -m pzvision.live.bench_page``.

A headless Chromium opens the table page in a process of its own; a MutationObserver in the document notes
when each announcement's text appears there, and the first animation frame after that. Needs Playwright (extra
``dev``) and an installed Chromium. What the browser takes counts: page and game share the cores.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import shutil
import subprocess
import sys
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from pzvision.errors import PzvisionError

_BROWSERS: Final = ("chromium", "chromium-browser", "google-chrome")
_FLAGS: Final = (
    *("--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"),
    *("--disable-background-networking", "--disable-component-update", "--disable-sync"),
)
# Times are those of the system's clock, which both processes read. The list is built anew at every change:
# only what was not there before counts. In the document means laid out but not yet drawn; what an animation
# frame's callback sees is drawn right after it.
_WATCH: Final = """
() => {
  window.seen = new Map();
  window.fresh = [];
  const now = () => performance.timeOrigin + performance.now();
  const note = () => {
    for (const line of document.querySelectorAll("#news li[data-seq]")) {
      const seq = +line.dataset.seq;
      if (seen.has(seq) || !line.lastElementChild.textContent) continue;
      const entry = [seq, now(), null];
      seen.set(seq, entry);
      requestAnimationFrame(() => { entry[2] = now(); fresh.push(entry); });
    }
  };
  new MutationObserver(note).observe(document.querySelector("#news"), { childList: true });
  note();
  window.pictures = 0;
  document.querySelector("#frame").addEventListener("load", () => pictures++);
}
"""


class PageWatch:
    """A browser on the page, in a process of its own, until `close`.

    Args:
        url: of the page.
        screenshot: where a picture of it goes when it is closed; or None.

    Raises:
        PzvisionError: Playwright or Chromium is missing, or the page did not open.

    Attributes:
        shown: of each announcement, by ``seq``: when it was in the document and when it was drawn, in seconds
            of `time.time`.
        pictures: pictures of the camera that the page showed.
    """

    def __init__(self, url: str, screenshot: Path | None = None) -> None:
        self.shown: dict[int, tuple[float, float]] = {}
        self.pictures = 0
        words = [sys.executable, "-m", "pzvision.live.page_watch", url]
        words += [] if screenshot is None else ["--screenshot", str(screenshot)]
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        if self._process.stdout.readline().strip() != "open":
            self._process.communicate()
            raise PzvisionError("the page cannot be opened: expected Playwright (extra dev) and Chromium")
        self._reader = threading.Thread(target=self._read, daemon=True, name="page-watch")
        self._reader.start()

    @property
    def pid(self) -> int:
        """Of the process whose children the browser's are."""
        return self._process.pid

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            record = json.loads(line)
            self.pictures = record["pictures"]
            for seq, there, drawn in record["shown"]:
                self.shown[seq] = (there / 1000, drawn / 1000)

    def close(self) -> None:
        """Close the browser; what it still knew is in `shown` then."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.close()
        try:
            self._process.wait(20)
        except subprocess.TimeoutExpired:
            self._process.kill()
        self._reader.join(5)


def processor_seconds(parent: int) -> float:
    """Processor time of a process and all below it, in s; of those that still live."""
    below: dict[int, list[int]] = {}
    spent: dict[int, float] = {}
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        with contextlib.suppress(OSError, IndexError):
            fields = (entry / "stat").read_text(encoding="utf-8", errors="replace").rpartition(")")[2].split()
            below.setdefault(int(fields[1]), []).append(int(entry.name))
            spent[int(entry.name)] = (int(fields[11]) + int(fields[12])) / 100
    total, left = 0.0, [parent]
    while left:
        pid = left.pop()
        total += spent.get(pid, 0.0)
        left += below.get(pid, [])
    return total


def main(argv: Sequence[str] | None = None) -> None:
    """Watch one page until standard input ends: a JSON line a second."""
    parser = argparse.ArgumentParser(description="when announcements stand on the page")
    parser.add_argument("url")
    parser.add_argument("--screenshot", help="a picture of the page at the end")
    args = parser.parse_args(argv)
    from playwright.sync_api import sync_playwright

    over = threading.Event()

    def wait() -> None:
        sys.stdin.read()
        over.set()

    threading.Thread(target=wait, daemon=True).start()
    browser_path = next(filter(None, map(shutil.which, _BROWSERS)), None)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=browser_path, args=list(_FLAGS))
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.goto(args.url)
        page.wait_for_selector("#link.ok", timeout=60_000)
        page.evaluate(_WATCH)
        print("open", flush=True)
        while True:
            last = over.wait(1.0)
            shown: list[list[Any]] = page.evaluate("() => fresh.splice(0)")
            print(json.dumps({"shown": shown, "pictures": page.evaluate("pictures")}), flush=True)
            if last:
                break
        if args.screenshot:
            page.screenshot(path=args.screenshot)
        browser.close()


if __name__ == "__main__":
    main()
