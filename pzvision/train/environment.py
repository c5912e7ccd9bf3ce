"""What a process that trains on the CPU should find in its environment."""

from __future__ import annotations

from typing import Final

ENVIRONMENT: Final = {
    "OMP_NUM_THREADS": "1",
    "OMP_WAIT_POLICY": "PASSIVE",
    "MALLOC_MMAP_THRESHOLD_": "8589934592",
    "MALLOC_TRIM_THRESHOLD_": "17179869184",
}
"""Set before the process starts: by default glibc gives memory back at every step and asks again."""
