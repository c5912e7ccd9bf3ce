"""Tile faces, scenes and whole games rendered as pictures and video, with their exact truth."""
