"""``pzvision doctor``: what this machine lacks, what is wrong with camera and calibration, how to mend it."""

from __future__ import annotations

import argparse

SUMMARY = ("检查摄像头、模型、字体、标定、端口:哪里不对、怎么办。", "What is wrong here, and how to mend it.")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """See `pzvision.cli`."""
    parser.add_argument("--camera", metavar="N|URL")
    parser.add_argument("--calibration", metavar="FILE")
    parser.add_argument("--models", metavar="DIR")
    parser.add_argument("--port", type=int, metavar="N")
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--lang", choices=("zh", "en"), default="zh")


def run(args: argparse.Namespace) -> int:
    """See `pzvision.cli`. The exit status is 1 when something must be mended."""
    import json

    from pzvision.commands._output import utf8_output
    from pzvision.commands._parser import one_line
    from pzvision.doctor import Wanted, examine
    from pzvision.live.paths import check_not_empty
    from pzvision.live.serving import check_port
    from pzvision.messages import say

    named = {"--camera": args.camera, "--calibration": args.calibration, "--models": args.models}
    check_not_empty(named)
    check_port(args.port)
    findings = []
    if args.json:
        utf8_output()
    else:
        print(say("doctor.title", args.lang), flush=True)
    for finding in examine(Wanted(args.camera, args.calibration, args.port, args.models)):
        findings.append(finding)
        if args.json:
            print(json.dumps(finding.to_json(), ensure_ascii=False), flush=True)
            continue
        mark = {"ok": "✓", "warn": "!", "bad": "✗"}[finding.state]
        name = say(f"doctor.check.{finding.check}", args.lang)
        print(f"{mark} {name}  {one_line(finding.line(args.lang))}")
        if mend := finding.mend_line(args.lang):
            print(
                "    " + say("doctor.tip" if finding.state == "ok" else "doctor.mend", args.lang, text=mend)
            )
        print(end="", flush=True)
    bad, warn = (sum(f.state == state for f in findings) for state in ("bad", "warn"))
    if not args.json:
        print(
            say("doctor.sum", args.lang, bad=bad, warn=warn)
            if bad or warn
            else say("doctor.all_well", args.lang)
        )
    return 1 if bad else 0
