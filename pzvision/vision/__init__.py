"""Pictures in, tiles out: capture, calibration, motion, and the two-stage detector."""
