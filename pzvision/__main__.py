"""``python -m pzvision``."""

try:
    from pzvision.cli import main

    status = main()
except KeyboardInterrupt:
    import os

    os.write(2, b"pzvision: interrupted\n")
    status = 130

raise SystemExit(status)
