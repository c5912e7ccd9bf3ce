"""How a model file becomes an onnxruntime session."""

from __future__ import annotations

from pathlib import Path

import onnxruntime as ort

from pzvision.errors import PzvisionError


def open_session(path: Path, threads: int | None = None) -> ort.InferenceSession:
    """An onnxruntime session on the CPU.

    Args:
        path: the ONNX file.
        threads: threads of onnxruntime; None lets it decide.

    Raises:
        PzvisionError: naming a missing or unreadable model.
    """
    if not path.is_file():
        raise PzvisionError(f"missing model {path}: reinstall pzvision, or train one: pzvision train")
    options = ort.SessionOptions()
    options.intra_op_num_threads = threads or 0
    options.log_severity_level = 3
    # Threads that spin while they wait take the processor from whatever else runs.
    options.add_session_config_entry("session.intra_op.allow_spinning", "0")
    try:
        return ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
    except Exception as error:  # onnxruntime has no base class of its own for what it raises
        raise PzvisionError(f"model {path}: not a usable ONNX file ({type(error).__name__})") from None
