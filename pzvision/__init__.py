"""pzvision: a table assistant for Panzhihua (攀枝花) and Xichang (西昌) mahjong."""

import os

# A picture of a few hundred bytes can claim to be huge, and OpenCV takes some 15 bytes for each of its
# pixels. It reads this limit (134 megapixels) when it is first imported.
os.environ.setdefault("OPENCV_IO_MAX_IMAGE_PIXELS", str(1 << 27))

__version__ = "0.1.0"
