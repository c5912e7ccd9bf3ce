"""What this machine has of what pzvision needs, what is wrong, and how to mend it.

Every check is by itself: one that cannot be made says so and stops no other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from pzvision.doctor import installed, machine, table
from pzvision.doctor.findings import DoctorConfig, Finding, State, Wanted

__all__ = ["DoctorConfig", "Finding", "State", "Wanted", "examine"]


def examine(wanted: Wanted, config: DoctorConfig | None = None) -> Iterator[Finding]:
    """All findings, in order, each as soon as it is known."""
    config = config or DoctorConfig()
    size: list[tuple[int, int]] = []
    checks: dict[str, Callable[[], Iterator[Finding]]] = {
        "program": installed.program,
        "packages": installed.packages,
        "machine": lambda: machine.machine(config),
        "model": lambda: machine.model(wanted.models, config),
        "fonts": machine.fonts,
        "video": machine.video,
        "camera": lambda: table.camera(wanted.camera, config, size),
        "calibration": lambda: table.calibration(wanted.calibration, size),
        "port": lambda: table.port(wanted.port),
        "storage": lambda: machine.storage(config),
        "terminal": machine.terminal,
    }
    for name, check in checks.items():
        try:
            yield from check()
        except Exception as error:
            why = (str(error).strip().splitlines() or [type(error).__name__])[0]
            yield Finding(name, "bad", "crashed", fields={"why": why})
