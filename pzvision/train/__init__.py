"""Training of the tile models (extra ``train``); nothing else of the package imports this room."""

from __future__ import annotations

import importlib.util

from pzvision.errors import PzvisionError


def needs_training_packages(
    wanted: tuple[str, ...] = ("torch", "ultralytics", "onnx", "onnxslim", "yaml"),
) -> None:
    """Raises `PzvisionError` naming the ``wanted`` packages of the extra ``train`` that are not installed."""
    missing = [name for name in wanted if importlib.util.find_spec(name) is None]
    if missing:
        raise PzvisionError(f"training needs {', '.join(missing)}: pip install 'pzvision[train]'")
