"""From detections to a game: tracks of tiles at rest, whose they are, and the likeliest legal story."""
