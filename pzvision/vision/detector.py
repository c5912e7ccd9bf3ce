"""The tile detector: stage 1 finds outlines, stage 2 names the faces in them, in one batch."""

from __future__ import annotations

import copy
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final, TypeVar

import numpy as np
import numpy.typing as npt

import pzvision
from pzvision.errors import PzvisionError
from pzvision.tiles import BACK, CLASSES, OTHER
from pzvision.vision.batching import Batches
from pzvision.vision.context import ContextConfig, ContextReader
from pzvision.vision.detections import Detections, FloatArray
from pzvision.vision.finder import BACK as BACK_FOUND
from pzvision.vision.finder import FACE, FinderConfig, Finds, TileFinder
from pzvision.vision.obb import side_px
from pzvision.vision.outliner import Outliner, OutlinerConfig
from pzvision.vision.reader import FaceReader, ReaderConfig
from pzvision.vision.session import Network, choose_backend, describe, quantised
from pzvision.vision.tile_set import TileSet

FINDER_FILE: Final = "finder.onnx"
READER_FILE: Final = "reader.onnx"
OUTLINER_FILE: Final = "outliner.onnx"
CONTEXT_FILE: Final = "context.onnx"


@dataclass(frozen=True)
class DetectorConfig:
    """Both stages' settings and how they are put together.

    Attributes:
        finder: stage 1.
        reader: stage 2.
        outliner: sets outlines right between the two; None: they stay as they were found. Where its model is
            missing they stay so, too.
        context: reads doubtful small faces once more with what lies round them; None: not. Nor without its
            model.
        back_share: probability of `tiles.BACK` for what stage 1 calls a back, and of a face for the rest.
        least_confidence: faces whose score times the probability of their name is less are left out. Chosen
            on rendered tables: 0.3 to 0.35 have the best F1 (recall 0.86, precision 0.98 at 0.35).
    """

    finder: FinderConfig = field(default_factory=FinderConfig)
    reader: ReaderConfig = field(default_factory=ReaderConfig)
    outliner: OutlinerConfig | None = field(default_factory=OutlinerConfig)
    context: ContextConfig | None = field(default_factory=ContextConfig)
    back_share: float = 0.97
    least_confidence: float = 0.35


def find_model(name: str, model_dir: Path | None = None) -> Path:
    """Where a model file lies: in ``model_dir``, else in the package, else in the checkout's ``models/``.

    Raises `PzvisionError` naming the file and the places looked at.
    """
    package = Path(pzvision.__file__).parent
    places = [model_dir] if model_dir is not None else [package / "models", package.parent / "models"]
    for place in places:
        if (place / name).is_file():
            return place / name
    looked = " and ".join(str(place) for place in places)
    raise PzvisionError(
        f"missing model {name}: looked in {looked}; train it with pzvision train or reinstall"
    )


class TileDetector:
    """Finds and names the tiles in a picture.

    Args:
        model_dir: folder with ``finder.onnx`` and ``reader.onnx``; None for the shipped ones.
        config: settings of both stages.
        threads: threads to use; None for all cores.
        backend: what runs the models, one of `session.BACKENDS`; ``auto`` is OpenVINO where it is installed.
        tile_set: what `pzvision adapt` learnt of the set on the table.
        exact: the readers' weights as they were trained, not in eight bits.
        read: False leaves stage 2 out (for trying out stage 1): every face may then be anything, and corner 0
            is only the one nearest to the picture's top left.

    Raises:
        PzvisionError: a model is missing or unreadable, or the backend is not installed.
    """

    def __init__(
        self,
        model_dir: Path | None = None,
        *,
        config: DetectorConfig | None = None,
        threads: int | None = None,
        backend: str = "auto",
        tile_set: TileSet | None = None,
        exact: bool = False,
        read: bool = True,
    ) -> None:
        self.config = config or DetectorConfig()
        self.backend = choose_backend(backend)
        self._finder = TileFinder(
            find_model(FINDER_FILE, model_dir),
            config=self.config.finder,
            threads=threads,
            backend=self.backend,
        )
        self._outliner: Outliner | None = None
        model = _if_there(OUTLINER_FILE, model_dir)
        if self.config.outliner is not None and model is not None:
            self._outliner = Outliner(
                model, threads=threads, config=self.config.outliner, backend=self.backend
            )
        self._reader: FaceReader | None = None
        self._context: ContextReader | None = None
        if read:
            path = find_model(READER_FILE, model_dir)
            self._reader = FaceReader(
                path if exact else quantised(path),
                threads=threads,
                config=self.config.reader,
                backend=self.backend,
                tile_set=tile_set,
            )
            model = _if_there(CONTEXT_FILE, model_dir)
            if self.config.context is not None and model is not None:
                self._context = ContextReader(
                    model if exact else quantised(model),
                    threads=threads,
                    config=self.config.context,
                    backend=self.backend,
                )

    def sharing(self, batches: Batches, tile_set: TileSet | None = None) -> TileDetector:
        """This detector for one of several tables: the same networks, run together, its own tile set.

        Raises `PzvisionError` for a tile set that was made for another reader.
        """
        own = copy.copy(self)
        own._finder = _shared(self._finder, batches)
        own._outliner = None if self._outliner is None else _shared(self._outliner, batches)
        own._context = None if self._context is None else _shared(self._context, batches)
        if self._reader is not None:
            own._reader = _shared(self._reader, batches)
            own._reader.tile_set = tile_set
        return own

    @property
    def networks(self) -> tuple[Network, ...]:
        """The models in use: the finder, then those there are of outliner, reader and context reader."""
        others = (self._outliner, self._reader, self._context)
        return (self._finder.network, *(part.network for part in others if part is not None))

    @property
    def stages(self) -> tuple[TileFinder, FaceReader | None]:
        """The finder and the reader, for those who time or teach them."""
        return self._finder, self._reader

    @property
    def providers(self) -> tuple[str, ...]:
        """What runs the models, each once: onnxruntime's execution providers, or OpenVINO's device."""
        return tuple(dict.fromkeys(n.provider for n in self.networks))

    @property
    def runs_on(self) -> str:
        """One line for people: the backend, its version and providers."""
        return describe(self.networks)

    def find(self, image: npt.NDArray[np.uint8], tile_px: float | None = None) -> Finds:
        """Stage 1 alone, on ``(H, W, 3)`` uint8 BGR.

        ``tile_px``: the side of every tile where that is known (see `TileFinder`).
        """
        return self._finder(image, tile_px)

    def __call__(self, image: npt.NDArray[np.uint8]) -> Detections:
        """The tiles in ``(H, W, 3)`` uint8 BGR. Raises `ValueError` for another shape or dtype."""
        return self.name(image, self.set_right(image, self._finder(image)), context=True)

    def set_right(self, image: npt.NDArray[np.uint8], finds: Finds) -> Finds:
        """Finds in ``(H, W, 3)`` uint8 BGR with outlines of small faces set right, each tile once.

        Without outliner as they are.
        """
        if self._outliner is None:
            return finds
        sides = side_px(finds.quads) * self._finder.scale(image)
        small = sides <= self._outliner.config.largest_px
        faces = np.flatnonzero((finds.classes == FACE) & small)
        if not len(faces):
            return finds
        quads = finds.quads.copy()
        quads[faces], _ = self._outliner(image, quads[faces])
        return self._finder.once(Finds(quads, finds.scores, finds.classes))

    def name(self, image: npt.NDArray[np.uint8], finds: Finds, *, context: bool = False) -> Detections:
        """Stage 2: name the finds of stage 1 in ``(H, W, 3)`` uint8 BGR.

        ``context``: read doubtful ones once more with what lies round them. Not where a tile set was taught:
        that network knows nothing of it.
        """
        size = (image.shape[1], image.shape[0])
        if not len(finds):
            return Detections.empty(size)
        quads = finds.quads.copy()
        back = finds.classes == BACK_FOUND
        share = self.config.back_share
        probs = np.zeros((len(finds), CLASSES), np.float32)
        probs[:, BACK] = np.where(back, share, 1 - share)
        names: FloatArray = np.full((len(finds), OTHER + 1), 1 / (OTHER + 1), np.float32)
        if self._reader is not None and not back.all():
            reading, quads[~back] = self._reader.read_quads(image, quads[~back])
            names[~back] = reading.probs / reading.probs.sum(axis=1, keepdims=True)
            if context and self._context is not None and self._reader.tile_set is None:
                names[~back] = self._context(image, quads[~back], names[~back])
        probs[:, : OTHER + 1] = names * (1 - probs[:, BACK:])
        found = Detections(quads.astype(np.float32), probs, finds.scores.astype(np.float32), size)
        if self._reader is None:
            return found
        kept = back | (found.confidences >= self.config.least_confidence)
        # what is left out is settled by the raw scores; what is told is how likely a tile is there
        return Detections(found.polygons, found.probs, self._finder.believed(finds), size)[kept]


_Part = TypeVar("_Part", TileFinder, Outliner, FaceReader, ContextReader)


def _shared(part: _Part, batches: Batches) -> _Part:
    own = copy.copy(part)
    own.network = batches.share(part.network)
    return own


def _if_there(name: str, model_dir: Path | None) -> Path | None:
    try:
        return find_model(name, model_dir)
    except PzvisionError:
        return None
