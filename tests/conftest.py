"""Fixtures shared by all tests."""

from __future__ import annotations

import signal
from pathlib import Path

import pytest

# A runner in the background ignores Ctrl-C and hands that on; the tests that send it to children need it.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

REPO = Path(__file__).resolve().parents[1]
SHARED = REPO.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of worked cases, photos and recordings beside the checkout; skips where it is missing."""
    if not SHARED.is_dir():
        pytest.skip("the shared folder with cases and photos is not beside this checkout")
    return SHARED
