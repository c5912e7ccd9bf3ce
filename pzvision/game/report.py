"""Settlements as a person reads them: a table per hand, why each amount is paid, and the evening's totals."""

from __future__ import annotations

from collections.abc import Sequence

from pzvision.game.entries import Payment
from pzvision.game.settle import HandResult
from pzvision.game.state import State
from pzvision.messages import say
from pzvision.rules.explain import explain_score
from pzvision.rules.text import table
from pzvision.tiles import SEAT_NAMES, SEATS, Lang, Seat, tile_name


def seat_name(state: State, seat: Seat, lang: Lang) -> str:
    """The seat, with the player's name when the log gives one that says more: ``南家 小李``."""
    name = state.setup.names.get(seat, "").strip()
    plain = SEAT_NAMES[lang][seat]
    if not name or name == seat or any(name in names[seat] for names in SEAT_NAMES.values()):
        return plain
    shown = "".join(c if c.isprintable() else "?" for c in name)[:16]
    return f"{plain} {shown}"


def explain_payment(state: State, payment: Payment, lang: Lang = "zh") -> str:
    """Why this much is paid, in words: ``清一色 4 × 卡心五 2 = 8,唱歌 ×2 = 16``."""
    match payment.kind:
        case "win":
            won = state[payment.target].won
            if won is None or won.score is None:
                return payment.why
            return explain_score(won.score, lang, payment.payer)
        case "kong":
            kong = say(f"game.why.{payment.why}", lang)
            return say("game.why.chain", lang, kong=kong, n=payment.chain + 1) if payment.chain else kong
        case "cha_jiao":
            waits = say("game.and", lang).join(
                tile_name(tile, lang) for tile in state.waits(payment.target) or ()
            )
            return say("game.why.cha_jiao", lang, fan=payment.fan, waits=waits)
        case "zha_hu":
            return say("game.why.zha_hu", lang, fan=payment.fan)
        case _:
            return say(f"game.why.{payment.kind}", lang)


def violation_lines(state: State, lang: Lang = "zh") -> list[str]:
    """One line per violation, in the order of the log."""
    return [
        say(
            "game.violation_line",
            lang,
            line=v.event,
            seat=seat_name(state, v.seat, lang),
            what=say(f"game.violation.{v.kind}", lang),
        )
        for v in sorted(state.violations, key=lambda v: v.event)
    ]


def hand_lines(result: HandResult, lang: Lang = "zh") -> str:
    """One hand: a title, its ledger, violations, totals and the next dealer."""
    state = result.state
    names = {seat: seat_name(state, seat, lang) for seat in SEATS}
    lines = [
        say(
            "game.hand",
            lang,
            n=result.number,
            ruleset=state.ruleset.name(lang),
            dealer=names[state.dealer],
            base=state.base,
        )
    ]
    if state.ledger:
        head = [say(f"game.head.{h}", lang) for h in ("line", "kind", "from", "to", "fan", "amount", "why")]
        rows: list[list[object]] = [
            [
                p.event,
                say(f"game.kind.{p.kind}", lang),
                names[p.source],
                names[p.target],
                p.fan,
                p.amount,
                explain_payment(state, p, lang),
            ]
            for p in state.ledger
        ]
        lines += ["  " + line for line in table(rows, head).splitlines()]
    else:
        lines.append("  " + say("game.no_payments", lang))
    if state.cut:
        lines.append("  " + say("game.cut", lang))
    if state.violations:
        lines.append("  " + say("game.violations", lang))
        lines += ["    " + line for line in violation_lines(state, lang)]
    lines.append("  " + "  ".join(f"{names[seat]} {amount:+d}" for seat, amount in result.totals.items()))
    lines.append("  " + say("game.next_dealer", lang, seat=names[result.next_dealer]))
    return "\n".join(lines)


def evening_lines(results: Sequence[HandResult], lang: Lang = "zh") -> str:
    """The running total over all hands, a row per hand."""
    last = results[-1].state
    head = [say("game.head.hand", lang), *(seat_name(last, seat, lang) for seat in SEATS)]
    sums = dict.fromkeys(SEATS, 0)
    rows: list[list[object]] = []
    for result in results:
        for seat, amount in result.totals.items():
            sums[seat] += amount
        rows.append([result.number, *sums.values()])
    return say("game.evening", lang) + "\n" + "\n".join("  " + x for x in table(rows, head).splitlines())
