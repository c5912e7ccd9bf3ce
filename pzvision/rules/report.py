"""Scores, waits and rulesets as a person reads them on a terminal."""

from __future__ import annotations

from pzvision.messages import say
from pzvision.rules.hand import Lang, Meld
from pzvision.rules.records import ScoreRecord, WaitsRecord
from pzvision.rules.text import table
from pzvision.tiles import SEAT_NAMES, format_tiles, from_counts, tile_name


def _title(id_: object, game: str, hand: str) -> str:
    shown = "" if id_ is None else f"{str(id_)[:40].encode('utf-8', 'replace').decode()}  "
    return f"{shown}{game}  {hand}"


def _hand(concealed: list[int], melds: tuple[Meld, ...]) -> str:
    return " ".join(
        [format_tiles(from_counts(concealed)), *(f"[{format_tiles([m.tile] * m.size)}]" for m in melds)]
    )


def score_lines(record: ScoreRecord, lang: Lang) -> str:
    """One hand: a title, how it scores and as which reading, and what each payer owes."""
    score = record.score()
    won = f"{_hand(record.concealed, record.melds)} + {format_tiles([record.tile])}"
    lines = [_title(record.id, record.ruleset.name(lang), f"{won} {say(f'rules.by.{record.by}', lang)}")]
    lines.append(f"  {score.explain(lang)}")
    if score.legal:
        lines.append(f"  {score.reading}")
        for seat, payer in record.payers:
            who = SEAT_NAMES[lang][seat]
            paid = say("rules.pays", lang, seat=who, fan=score.payment(payer))
            extra = score.payer_factors(payer)
            reasons = ", ".join(f"{say(f'rules.payer.{id_}', lang)} ×{by}" for id_, by in extra)
            lines.append(f"  {paid}{f'  ({reasons})' if reasons else ''}")
    return "\n".join(lines)


def waits_lines(record: WaitsRecord, lang: Lang) -> str:
    """One hand: a title and a row per wait: tile, how many are left, face, fan, why not."""
    waits = record.waits()
    title = _title(record.id, record.ruleset.name(lang), _hand(record.concealed, record.melds))
    if not waits:
        return f"{title}\n  {say('rules.not_ready', lang)}"
    head = [say(f"rules.head.{key}", lang) for key in ("wait", "left", "face", "fan", "note")]
    rows: list[list[object]] = []
    for wait, score in zip(waits, record.scores(), strict=True):
        rows.append([tile_name(wait.tile, lang), wait.left, wait.face, wait.fan, score.explain(lang)])
    return title + "\n" + "\n".join(f"  {line}" for line in table(rows, head).splitlines())
