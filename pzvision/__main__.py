"""``python -m pzvision``."""

from pzvision.cli import main

raise SystemExit(main())
