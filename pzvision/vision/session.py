"""How a model file becomes something that runs: onnxruntime, or OpenVINO where it is installed."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, Final, Literal, Protocol, TypeAlias

import numpy as np
import numpy.typing as npt

from pzvision.errors import PzvisionError

Backend: TypeAlias = Literal["onnxruntime", "openvino"]
BACKENDS: Final = ("auto", "onnxruntime", "openvino")
"""What ``--backend`` takes."""

_METADATA_FIELD: Final = 14  # metadata_props of ONNX's ModelProto
_SOURCE: Final = "source_sha256"


class Network(Protocol):
    """A loaded model."""

    backend: Backend
    provider: str
    """What runs it, for people: the execution provider, or the device and its arithmetic."""
    inputs: Mapping[str, tuple[int | str, ...]]
    outputs: tuple[str, ...]
    metadata: Mapping[str, str]
    pads: bool
    """Whether another shape of the input costs time of its own, so that few different ones are better."""

    def run(self, feed: npt.NDArray[Any]) -> list[npt.NDArray[np.float32]]:
        """The outputs, in order, each ``(N, …)``, for the model's one input ``(N, …)``."""
        ...


def choose_backend(wanted: str = "auto") -> Backend:
    """What runs the models: ``auto`` takes OpenVINO where it is installed, else onnxruntime.

    Raises:
        PzvisionError: an unknown name, or one whose package is missing.
    """
    if wanted == "ultralytics":
        raise PzvisionError(
            "--backend ultralytics: the finder's head is this project's own and ultralytics cannot run it;"
            " expected auto, onnxruntime or openvino"
        )
    if wanted not in BACKENDS:
        raise PzvisionError(f"--backend {wanted}: expected auto, onnxruntime or openvino")
    if wanted == "onnxruntime":
        return "onnxruntime"
    if importlib.util.find_spec("openvino") is not None:
        return "openvino"
    if wanted == "openvino":
        raise PzvisionError("--backend openvino: not installed; pip install 'pzvision[fast]'")
    return "onnxruntime"


def open_network(path: Path, threads: int | None = None, backend: str = "auto") -> Network:
    """A model, ready to run on the processor.

    Args:
        path: the ONNX file.
        threads: threads to use; None for all cores.
        backend: one of `BACKENDS`.

    Raises:
        PzvisionError: naming a missing or unreadable model, or a backend that is not there.
    """
    chosen = choose_backend(backend)
    if not path.is_file():
        raise PzvisionError(f"missing model {path}: reinstall pzvision, or train one: pzvision train")
    try:
        if chosen == "openvino":
            return _OpenVino(path, threads)
        return _OnnxRuntime(path, threads)
    except PzvisionError:
        raise
    except Exception as error:  # neither has a base class of its own for what it raises
        raise PzvisionError(f"model {path}: not a usable ONNX file ({type(error).__name__})") from None


_PAD: Final = 8  # batches are filled up to a multiple of this where another size costs time of its own


def run_batches(
    network: Network, pictures: npt.NDArray[np.uint8], batch: int
) -> list[npt.NDArray[np.float32]]:
    """A network's outputs ``(N, …)`` for ``(N, S, S, 3)`` uint8 pictures, N ≥ 1.

    ``batch`` at a time to bound memory.
    """
    parts = []
    for start in range(0, len(pictures), batch):
        part = pictures[start : start + batch]
        count = len(part)
        if network.pads and count % _PAD:
            blank = np.zeros((_PAD - count % _PAD, *part.shape[1:]), np.uint8)
            part = np.concatenate([part, blank])
        parts.append([answer[:count] for answer in network.run(np.ascontiguousarray(part))])
    return [np.concatenate(answers) for answers in zip(*parts, strict=True)]


class _OnnxRuntime:
    backend: Backend = "onnxruntime"
    pads = False

    def __init__(self, path: Path, threads: int | None) -> None:
        import onnxruntime as ort

        options = ort.SessionOptions()
        options.intra_op_num_threads = threads or 0
        options.log_severity_level = 3
        # Threads that spin while they wait take the processor from whatever else runs.
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        self._session = ort.InferenceSession(str(path), options, providers=["CPUExecutionProvider"])
        self.provider: str = ", ".join(self._session.get_providers())
        self.inputs: Mapping[str, tuple[int | str, ...]] = {
            i.name: tuple(i.shape) for i in self._session.get_inputs()
        }
        self.outputs: tuple[str, ...] = tuple(o.name for o in self._session.get_outputs())
        self.metadata: Mapping[str, str] = self._session.get_modelmeta().custom_metadata_map
        self._input = next(iter(self.inputs))

    def run(self, feed: npt.NDArray[Any]) -> list[npt.NDArray[np.float32]]:
        return list(self._session.run(None, {self._input: feed}))


_OFTEN: Final = 6
_MOST_SHAPES: Final = 8


class _OpenVino:
    """A model in OpenVINO.

    For pictures of any size it decides at every run how to lay out its work. A shape of one picture that came
    `_OFTEN` times (a camera's) gets a form of its own, of which `_MOST_SHAPES` are kept: made in 0.2 s, it
    takes an eighth less time.
    """

    backend: Backend = "openvino"
    pads = True

    def __init__(self, path: Path, threads: int | None) -> None:
        openvino: Any = importlib.import_module("openvino")
        self._core: Any = openvino.Core()
        # bfloat16 is half the work where the processor has it; elsewhere it would only be emulated.
        half = "BF16" in self._core.get_property("CPU", "OPTIMIZATION_CAPABILITIES")
        self._settings: dict[str, Any] = {
            "PERFORMANCE_HINT": "LATENCY",
            "INFERENCE_PRECISION_HINT": "bf16" if half else "f32",
        }
        if threads:
            self._settings["INFERENCE_NUM_THREADS"] = threads
        self._path = str(path)
        self._request = self._compile(None)
        compiled = self._request.get_compiled_model()
        self.provider: str = f"CPU {'bfloat16' if half else 'float32'}"
        self.inputs: Mapping[str, tuple[int | str, ...]] = {
            i.get_any_name(): tuple(d.get_length() if d.is_static else "n" for d in i.get_partial_shape())
            for i in compiled.inputs
        }
        self.outputs: tuple[str, ...] = tuple(o.get_any_name() for o in compiled.outputs)
        self.metadata: Mapping[str, str] = model_metadata(path)
        self._seen: Counter[tuple[int, ...]] = Counter()
        self._own: dict[tuple[int, ...], Any] = {}

    def _compile(self, shape: tuple[int, ...] | None) -> Any:
        model = self._core.read_model(self._path)
        if shape is not None:
            model.reshape(list(shape))
        return self._core.compile_model(model, "CPU", self._settings).create_infer_request()

    def run(self, feed: npt.NDArray[Any]) -> list[npt.NDArray[np.float32]]:
        request = self._own.get(feed.shape, self._request)
        if request is self._request and len(feed) == 1:
            self._seen[feed.shape] += 1
            if self._seen[feed.shape] == _OFTEN and len(self._own) < _MOST_SHAPES:
                request = self._own[feed.shape] = self._compile(feed.shape)
        found = request.infer([feed], share_inputs=True)
        return [np.array(found[o], np.float32) for o in range(len(self.outputs))]


# --- model files -----------------------------------------------------------------------------------------


def model_metadata(path: Path) -> dict[str, str]:
    """The notes (``metadata_props``) in an ONNX file, read without any package.

    Raises `PzvisionError` for a file that is none.
    """
    try:
        data = memoryview(path.read_bytes())
        notes = {}
        for number, value in _fields(data):
            if number == _METADATA_FIELD and isinstance(value, memoryview):
                entry = {n: bytes(v).decode() for n, v in _fields(value) if isinstance(v, memoryview)}
                notes[entry.get(1, "")] = entry.get(2, "")
        return notes
    except OSError as error:
        raise PzvisionError(f"model {path}: cannot be read ({error.strerror})") from None
    except (IndexError, ValueError):
        raise PzvisionError(f"model {path}: not a usable ONNX file") from None


def _fields(data: memoryview) -> Iterator[tuple[int, int | memoryview]]:
    """The fields of one protocol-buffers message: number, and an integer or the bytes."""
    at = 0
    while at < len(data):
        key, at = _varint(data, at)
        kind = key & 7
        if kind == 0:
            value, at = _varint(data, at)
            yield key >> 3, value
            continue
        if kind == 2:
            size, at = _varint(data, at)
        elif kind in (1, 5):
            size = 8 if kind == 1 else 4
        else:
            raise ValueError(kind)
        if at + size > len(data):
            raise IndexError(at + size)
        yield key >> 3, data[at : at + size]
        at += size


def _varint(data: memoryview, at: int) -> tuple[int, int]:
    value = shift = 0
    while True:
        byte = data[at]
        at += 1
        value |= (byte & 0x7F) << shift
        if byte < 0x80:
            return value, at
        shift += 7
        if shift > 63:
            raise ValueError(shift)


def digest(path: Path) -> str:
    """SHA-256 of a file, hex."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def source_digest(path: Path) -> str:
    """Which trained weights a model file stands for: its own digest, or that of what it was made from."""
    return model_metadata(path).get(_SOURCE) or digest(path)


def quantised(path: Path) -> Path:
    """The eight-bit form beside a model (``reader.int8.onnx`` for ``reader.onnx``), else the model itself.

    One made from other weights than those beside it does not count.
    """
    small = path.with_suffix(".int8.onnx")
    if not small.is_file() or not path.is_file():
        return path
    return small if model_metadata(small).get(_SOURCE) == digest(path) else path


def describe(networks: Sequence[Network]) -> str:
    """One line for people: ``onnxruntime 1.32.0: CPUExecutionProvider``."""
    first = networks[0]
    module: Any = importlib.import_module(first.backend)
    version = str(getattr(module, "__version__", "")).split("-")[0]
    return f"{first.backend} {version}: {', '.join(dict.fromkeys(n.provider for n in networks))}"
