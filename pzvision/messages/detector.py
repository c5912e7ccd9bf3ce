"""What ``detect``, ``bench-detector`` and ``adapt`` say."""

from __future__ import annotations

from typing import Final

BACKEND_HELP: Final = (
    "推理后端 what runs the models: auto (OpenVINO where installed, else onnxruntime),"
    " onnxruntime, openvino (default auto)"
)

MESSAGES: Final[dict[str, tuple[str, str]]] = {
    "detector.bench.auto": (
        "auto 会用 {auto};这里最快的是 {fastest}",
        "auto picks {auto}; the fastest here is {fastest}",
    ),
    "detector.bench.pictures": (
        "{pictures} 张照片,平均识别出 {tiles:.0f} 张牌;中位数,毫秒;cpu 是各线程合计",
        "{pictures} pictures, {tiles:.0f} tiles found in each; medians, ms; cpu is all threads together",
    ),
}
