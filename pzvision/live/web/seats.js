// The table seen from above: four seats around the middle. Every tile that a record put there is a button.

import { byId, make, money, Shown } from "./dom.js";
import { meldImage, tileImage, tileName, tilesOf } from "./tiles.js";
import { lang, say, SEATS } from "./words.js";

const shown = new Shown();

export function seatName(state, seat) { return state.seats[seat].name[lang()]; }

function tileButton(node, label, onClick) {
  const press = make("button", "pick", node);
  press.type = "button";
  press.setAttribute("aria-label", label);
  press.addEventListener("click", onClick);
  return press;
}

function row(label, ...children) {
  return make("div", "row", label ? make("span", "label", label) : null, ...children);
}

export function waitText(wait) {
  return [
    wait.left !== null ? say(wait.most ? "leftMost" : "left", { n: wait.left }) : "",
    wait.fan ? say("fan", { n: wait.fan }) : "",
    wait.legal === false ? say("illegal") : "",
  ].filter(Boolean).join(" · ");
}

function renderSeat(node, state, seat, onTile, onSeat) {
  const player = state.seats[seat];
  if (!shown.changed(node.id, lang(), seat, player, state.turn, state.phase, state.dealer, state.last_discard, doubtful(state))) return;
  const focused = node.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  node.replaceChildren();
  node.classList.toggle("turn", state.turn === seat && state.phase !== "over");
  node.classList.toggle("out", Boolean(player.won));
  node.append(heading(state, seat, onSeat));
  const held = make("div", "row held");
  player.melds.forEach((meld, i) => {
    const press = tileButton(meldImage(meld), `${say(meld.kind)} ${tileName(meld.tile)}`, () =>
      onTile({ place: "meld", seat, event: player.meld_events?.[i] ?? null, tile: meld.tile, kind: meld.kind }));
    press.dataset.key = `${seat}-meld-${i}`;
    press.title = `${say(meld.kind)} ${tileName(meld.tile)}`;
    held.append(press);
  });
  const known = tilesOf(player.known);
  if (known.length) {
    const tiles = make("span", "known", ...known.map((tile) => tileImage(tile)));
    if (player.won) {
      const press = tileButton(tiles, say("handTiles"), () => onTile({ place: "hand", seat, event: player.won.event, tile: player.won.tile }));
      press.dataset.key = `${seat}-hand`;
      held.append(press);
    } else held.append(tiles);
  }
  if (player.unknown > 0) {
    held.append(make("span", "backs", tileImage("back", "small"), make("span", "", say("hidden", { n: player.unknown }))));
  }
  if (held.childElementCount) node.append(held);
  if (player.waits.length) {
    node.append(row(say("waits"), ...player.waits.map((wait) =>
      make("span", wait.legal === false ? "wait illegal" : "wait", tileImage(wait.tile, "small"), waitText(wait)))));
  }
  if (player.kongs.length) {
    node.append(row(say("kongs"), ...player.kongs.map((kong) =>
      make("span", "wait kong", tileImage(kong.tile, "small"), say(kong.kind), kong.price ? ` +${kong.price}` : ""))));
  }
  const river = row(say("river"));
  river.classList.add("river");
  const doubts = doubtful(state);
  player.river.forEach((tile, i) => {
    const event = player.river_events?.[i] ?? null;
    const last = state.last_discard && state.last_discard.seat === seat && i === player.river.length - 1;
    const press = tileButton(tileImage(tile), `${seatName(state, seat)} ${say("discard")} ${tileName(tile)}`, () =>
      onTile({ place: "river", seat, event, tile }));
    press.dataset.key = `${seat}-river-${i}`;
    press.classList.toggle("last", Boolean(last));
    press.classList.toggle("doubt", doubts.includes(event));
    river.append(press);
  });
  node.append(river);
  if (focused) node.querySelector(`[data-key="${focused}"]`)?.focus();
}

function doubtful(state) { return (state.doubts || []).map((doubt) => doubt.event); }

function heading(state, seat, onSeat) {
  const player = state.seats[seat];
  const who = make("div", "who");
  const name = tileButton(make("span", "name", seatName(state, seat)), `${seatName(state, seat)}: ${say("declare")}`, () => onSeat(seat));
  name.prepend(make("span", "wind", say(seat)));
  name.dataset.key = `${seat}-name`;
  who.append(name);
  if (state.dealer === seat) who.append(make("span", "tag dealer", say("dealer")));
  if (player.declaration !== "none") who.append(make("span", "tag say", say(player.declaration)));
  for (const extra of player.marks) who.append(make("span", "tag say", say(extra)));
  if (player.won) who.append(make("span", "tag won", say("won")));
  who.append(make("span", "total", money(player.total)));
  return who;
}

function renderCentre(state) {
  const node = byId("centre");
  if (!shown.changed("centre", lang(), state.wall_left, state.wall_seen, state.tail_lamp, state.phase, state.turn, state.seats[state.turn]?.name)) return;
  node.replaceChildren();
  if (state.wall_left === null || state.wall_left === undefined) { node.append(make("small", "", say("waiting"))); return; }
  node.append(make("div", "wall", String(state.wall_left)), make("small", "", say("wall")));
  if (typeof state.wall_seen === "number") node.append(make("small", "seen", say("wallSeen", { n: state.wall_seen })));
  if (state.tail_lamp) node.append(make("span", "lamp", make("small", "", say("lamp")), tileImage(state.tail_lamp, "small")));
  const text = state.phase === "over" ? say("handOver") : state.turn ? say("turn", { who: seatName(state, state.turn) }) : "";
  if (text) node.append(make("b", "", text));
}

export function renderTable(state, onTile, onSeat) {
  const near = SEATS.indexOf(state.near_seat);
  ["near", "right", "far", "left"].forEach((side, i) => renderSeat(byId(`seat-${side}`), state, SEATS[(near + i) % 4], onTile, onSeat));
  renderCentre(state);
}

/** Arrow keys move from tile to tile, to the nearest in that direction. */
export function moveFocus(key) {
  const all = [...document.querySelectorAll(".felt:not([hidden]) .pick, .map:not([hidden]) .spot[tabindex]")];
  const from = document.activeElement?.closest?.(".felt .pick, .map .spot");
  if (!from) { all[0]?.focus(); return; }
  const [dx, dy] = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] }[key];
  const middle = (n) => { const r = n.getBoundingClientRect(); return [r.x + r.width / 2, r.y + r.height / 2]; };
  const [x, y] = middle(from);
  let best = null, least = Infinity;
  for (const node of all) {
    const [nx, ny] = middle(node);
    const along = (nx - x) * dx + (ny - y) * dy, across = Math.abs((nx - x) * dy) + Math.abs((ny - y) * dx);
    if (node === from || along <= 2) continue;
    const cost = along + 3 * across;
    if (cost < least) { least = cost; best = node; }
  }
  best?.focus();
}
