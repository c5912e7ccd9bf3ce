"""The printable sheet: corner cards, declaration tokens and the lens board, as PDF and SVG."""
