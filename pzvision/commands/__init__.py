"""One module per subcommand.

A command module has ``SUMMARY: tuple[str, str]`` (Chinese, English), ``add_arguments(parser)`` and
``run(args) -> int`` (the exit status). Heavy imports belong inside ``run`` so that ``--help`` is fast.
"""
