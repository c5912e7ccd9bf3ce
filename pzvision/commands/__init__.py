"""One module per subcommand.

A command module has ``SUMMARY: tuple[str, str]`` (Chinese, English), ``add_arguments(parser)`` and
``run(args) -> int`` (the exit status). ``run`` raises `PzvisionError` where an argument or a file is not as
expected: one line and exit status 2. Heavy imports belong inside ``run`` so that ``--help`` is fast.
"""
