"""Fixtures shared by all tests."""

from __future__ import annotations

from pathlib import Path

import pytest

REPO = Path(__file__).resolve().parents[1]
SHARED = REPO.parent / "shared"


@pytest.fixture(scope="session")
def shared() -> Path:
    """The folder of worked cases, photos and recordings beside the checkout; skips where it is missing."""
    if not SHARED.is_dir():
        pytest.skip("the shared folder with cases and photos is not beside this checkout")
    return SHARED
