"""pzvision: a table assistant for Panzhihua (攀枝花) and Xichang (西昌) mahjong."""

__version__ = "0.1.0"
