"""What ``detect``, ``bench-detector`` and ``adapt`` say."""

from __future__ import annotations

from typing import Final

BACKEND_HELP: Final = (
    "推理后端 what runs the models: auto (OpenVINO where installed, else onnxruntime),"
    " onnxruntime, openvino (default auto)"
)

MESSAGES: Final[dict[str, tuple[str, str]]] = {}
