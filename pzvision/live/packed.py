"""Values that are hardly ever looked at again, kept small: compressed, and unpacked when asked for."""

from __future__ import annotations

import pickle
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar, overload

T = TypeVar("T")


class Packed(Sequence[T]):
    """A sequence that costs a few bytes for each of its values, and their unpacking each time it is read.

    What comes out equals what was put in, but is not the same object. It is made and read by one process and
    never stored, so nobody else's bytes are ever unpacked.

    Args:
        values: what is kept; anything that can be pickled.
    """

    __slots__ = ("_data", "_length")

    def __init__(self, values: Iterable[T]) -> None:
        held = list(values)
        self._length = len(held)
        self._data = zlib.compress(pickle.dumps(held, pickle.HIGHEST_PROTOCOL))

    @property
    def size(self) -> int:
        """Bytes that are kept."""
        return len(self._data)

    def __len__(self) -> int:
        return self._length

    def __iter__(self) -> Iterator[T]:
        held: list[T] = pickle.loads(zlib.decompress(self._data))
        return iter(held)

    @overload
    def __getitem__(self, index: int) -> T: ...
    @overload
    def __getitem__(self, index: slice) -> list[T]: ...
    def __getitem__(self, index: int | slice) -> T | list[T]:
        return list(self)[index]
