"""The golden set: rendered hands whose whole truth is known, and how well the program reads them.

`datasets/golden/recipes.toml` says what is played, on which table, seen from where, disturbed by what.
`pzvision golden build` renders each recipe straight into the detector and keeps what was seen;
`pzvision evaluate datasets/golden` reads the games from that and compares them with the truth.
"""
