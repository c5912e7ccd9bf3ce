// Corrections: windows in which a person says what really happened.

import { ask, correct, readLog } from "./api.js";
import { Choice, closeDialog, openDialog, section, TilePicker, TilesPicker } from "./dialog.js";
import { button, clock, make } from "./dom.js";
import { seatName } from "./seats.js";
import { tileImage, tileName, tilesOf } from "./tiles.js";
import { lang, say, SEATS } from "./words.js";

const MELDS = ["peng", "zhi_gang", "an_gang", "ba_gang"];
const DECLARATIONS = ["sing", "dance", "bai", "alarm", "tian_jiao", "bao_ting"];
/** Records that are no acts: nobody takes them back. */
const FIXED = ["hand_start", "hand_end", "deal"];

let state = null;
export function correctionsFor(next) { state = next; }

const seats = () => SEATS.map((seat) => [seat, seatName(state, seat)]);
const textOf = (item) => item.text?.[lang()] ?? say(item.record.type);
const changeable = (record) => !FIXED.includes(record.type);
const about = (item) => ({ event: item.event, was: item.record });

async function thenClose(asked) { if (await asked) closeDialog(); }

/** The window for one record of the log. */
export async function editRecord(event) {
  const log = await readLog();
  const item = log.find((entry) => entry.event === event);
  if (item) editItem(item, log);
}

function editItem(item, log) {
  const { record } = item;
  const parts = [make("p", "what", make("time", "", clock(record.t)), " ", textOf(item))];
  if (record.tile && record.type !== "hand_start") {
    parts.push(section(say("fixTile"), new TilePicker(record.tile, (tile) => thenClose(correct("tile", { ...about(item), tile }))).node));
  }
  if (record.type === "peng" || record.type === "gang") {
    const kinds = MELDS.map((kind) => [kind, say(kind)]);
    const now = record.type === "peng" ? "peng" : record.kind;
    parts.push(section(say("fixKind"), new Choice(kinds, now, (gang) => thenClose(correct("gang_kind", { ...about(item), gang }))).node));
  }
  if (record.seat && changeable(record)) {
    parts.push(section(say("fixOwner"), new Choice(seats(), record.seat, (seat) => thenClose(correct("owner", { ...about(item), seat }))).node));
  }
  if (["win", "reveal"].includes(record.type)) {
    const hand = new TilesPicker(13);
    hand.tiles = tilesOf(record.hand);
    hand.render();
    parts.push(section(say("handTiles"), hand.node, button(say("yes"), () => thenClose(correct("hand", { ...about(item), tiles: hand.value ?? "" })))));
  }
  const actions = make("div", "actions");
  if (changeable(record)) actions.append(button(say("removeThis"), () => thenClose(correct("undo", about(item))), "danger"));
  const hand = log.filter((entry) => entry.hand === item.hand);
  const following = hand.find((entry) => entry.event === item.event + 1);
  if (record.type !== "hand_start") actions.append(button(`${say("insert")} (${say("before")})`, () => insertRecord(item)));
  actions.append(button(`${say("insert")} (${say("after")})`, () => insertRecord(following ?? null)));
  openDialog(say("editThis"), ...parts, actions);
}

/** A tile on the table was tapped. */
export function editTile(target) {
  if (target.event !== null) editRecord(target.event);
}

/** A tile lying on the table was tapped in the view from above; `spot.id` is its track. */
export function editLying(spot) {
  const picker = new TilePicker(spot.tile, (tile) => thenClose(correct("tile", { track: spot.id, tile })));
  openDialog(say("editThis"), make("p", "what", say("lying"), " ", tileName(spot.tile)), section(say("fixTile"), picker.node));
}

export async function undoLast() {
  const log = await readLog();
  const last = log.filter((item) => changeable(item.record)).at(-1);
  if (!last) return;
  openDialog(say("undo"), make("p", "", say("askUndo", { what: textOf(last) })),
    make("div", "actions", button(say("yes"), () => thenClose(correct("undo", about(last))), "main"), button(say("no"), closeDialog)));
}

export function resync() {
  openDialog(say("resync"), make("p", "", say("askResync")),
    make("div", "actions", button(say("yes"), () => thenClose(correct("resync")), "main"), button(say("no"), closeDialog)));
}

/** A missed record; `before`: the log item it goes before, null: at the end. */
export function insertRecord(before = null) {
  const types = ["draw", "discard", "peng", "gang", "win", "tail_lamp", "leave"];
  const labels = types.map((type) => [type, type === "tail_lamp" ? say("lamp") : say(type)]);
  const who = new Choice(seats(), null);
  const gang = new Choice(MELDS.slice(1).map((kind) => [kind, say(kind)]), "zhi_gang");
  const by = new Choice([["self_draw", say("self_draw")], ["discard", say("from_discard")], ["rob_kong", say("rob_kong")]], "self_draw");
  const hand = new TilesPicker(13);
  const send = () => {
    if (type.value !== "tail_lamp" && !who.value) return who.node.classList.add("missing");
    if (!["leave", "draw"].includes(type.value) && !tile.value) return tile.node.classList.add("missing");
    const record = { type: type.value };
    if (type.value !== "tail_lamp") record.seat = who.value;
    if (type.value !== "leave" && tile.value) record.tile = tile.value;
    if (type.value === "gang") record.kind = gang.value;
    if (type.value === "win") Object.assign(record, { by: by.value }, hand.value ? { hand: hand.value } : {});
    return thenClose(correct("insert", before ? { record, ...about(before) } : { record }));
  };
  const tile = new TilePicker(null);
  const parts = {
    who: section(say("whose"), who.node), gang: section(say("fixKind"), gang.node), by: section(say("by"), by.node),
    tile: section(say("tile"), tile.node), hand: section(say("handTiles"), hand.node),
  };
  const type = new Choice(labels, "discard", show);
  function show(value) {
    parts.who.hidden = value === "tail_lamp";
    parts.gang.hidden = value !== "gang";
    parts.by.hidden = parts.hand.hidden = value !== "win";
    parts.tile.hidden = value === "leave";
  }
  show("discard");
  const place = before ? `${say("before")}: ${textOf(before)}` : say("atEnd");
  openDialog(say("insert"), make("p", "what", place), section(say("what"), type.node), ...Object.values(parts),
    make("div", "actions", button(say("insert"), send, "main"), button(say("no"), closeDialog)));
}

/** What a player said aloud. */
export function declareFor(seat = null) {
  const who = new Choice(seats(), seat);
  const shown = new TilesPicker(13), waits = new TilesPicker(9);
  const choices = make("div", "choice", ...DECLARATIONS.map((declaration) => button(say(declaration), () => {
    if (!who.value) { who.node.classList.add("missing"); return; }
    const body = { seat: who.value, declaration, tiles: shown.value, waits: waits.value };
    thenClose(ask("api/declare", body));
  })));
  openDialog(say("declare"), section(say("whose"), who.node), section(say("waitTiles"), waits.node),
    section(say("shownTiles"), shown.node), section(say("what"), choices));
}

/** New hand, dealer, stake, rules, names. */
export function handSettings() {
  const setup = state.setup ?? {}, next = state.next ?? {};
  const when = new Choice(["now", "current", "next"].map((value) => [value, say(value)]), state.phase === "over" ? "next" : "current");
  const dealer = new Choice([["", say("same")], ...seats()], "");
  const rules = make("select", "", new Option(say("same"), ""), ...(state.rulesets ?? []).map((rule) => new Option(rule.name[lang()], rule.id)));
  rules.setAttribute("aria-label", say("ruleset"));
  const base = make("input");
  Object.assign(base, { type: "number", min: 1, max: 1000000, inputMode: "numeric", placeholder: String(next.base ?? setup.base ?? state.base ?? 1) });
  base.setAttribute("aria-label", say("stake"));
  const names = SEATS.map((seat) => {
    const input = make("input");
    Object.assign(input, { maxLength: 40, value: (next.names ?? setup.names ?? {})[seat] ?? "", placeholder: say(seat) });
    return [seat, input];
  });
  const send = () => {
    const body = { when: when.value };
    if (dealer.value) body.dealer = dealer.value;
    if (rules.value) body.ruleset = rules.value;
    if (base.value) body.base = Number(base.value);
    const before = next.names ?? setup.names ?? {};
    const changed = names.filter(([seat, input]) => input.value.trim() !== (before[seat] ?? ""));
    if (changed.length) body.names = Object.fromEntries(names.map(([seat, input]) => [seat, input.value.trim()]));
    return thenClose(ask("api/hand", body));
  };
  openDialog(say("newHand"), section(say("when"), when.node), section(say("dealer"), dealer.node),
    make("div", "fields", make("label", "", make("span", "", say("ruleset")), rules), make("label", "", make("span", "", say("stake")), base)),
    section(say("names"), make("div", "fields", ...names.map(([seat, input]) => make("label", "", make("span", "", say(seat)), input)))),
    make("div", "actions", button(say("yes"), send, "main"), button(say("no"), closeDialog)));
}

export const togglePause = () => ask("api/pause", { paused: !state.paused });

/** The first or second reading of the oldest doubt. */
export function confirmDoubt(choice, doubt = (state.doubts ?? [])[0]) {
  if (doubt && choice < doubt.tiles.length) correct("confirm", { doubt: doubt.id, choice });
}

/** Doubts as cards, each reading a button. */
export function doubtCards() {
  return (state.doubts ?? []).map((doubt, i) => {
    const readings = doubt.tiles.map((tile, choice) => {
      const press = button("", () => confirmDoubt(choice, doubt), "reading");
      press.append(tileImage(tile, "small"));
      if (i === 0) press.append(make("kbd", "", String(choice + 1)));
      return press;
    });
    const edit = button("…", () => editRecord(doubt.event), "reading");
    edit.setAttribute("aria-label", say("editThis"));
    return make("li", "", make("span", "", doubt.seat ? say("unsureOf", { who: seatName(state, doubt.seat) }) : say("unsure")), ...readings, edit);
  });
}
