"""Fixtures shared by all tests."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

# A runner in the background ignores Ctrl-C and hands that on; the tests that send it to children need it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

REPO = Path(__file__).resolve().parents[1]
SHARED = REPO.parent / "shared"


@pytest.fixture(scope="session", autouse=True)
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Evenings that tests play are stored in a folder of their own."""
    folder = tmp_path_factory.mktemp("data")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("PZVISION_DATA", str(folder))
        yield folder


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of worked cases, photos and recordings beside the checkout; skips where it is missing."""
    if not SHARED.is_dir():
        pytest.skip("the shared folder with cases and photos is not beside this checkout")
    return SHARED
