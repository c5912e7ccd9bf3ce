// One window over the page at a time, and the choices that stand in it.

import { button, byId, make } from "./dom.js";
import { KINDS, notation, tileImage, tileName } from "./tiles.js";
import { say } from "./words.js";

export function closeDialog() { byId("dialog").close(); }
export function dialogOpen() { return byId("dialog").open; }

/** Show a window; what it showed before is gone. */
export function openDialog(title, ...content) {
  const node = byId("dialog");
  const shut = button("×", closeDialog, "shut");
  shut.setAttribute("aria-label", say("close"));
  node.replaceChildren(make("header", "", make("h2", "", title), shut), make("div", "body", ...content));
  if (!node.open) node.showModal();
  const first = node.querySelector(".body [aria-pressed='true']") ?? node.querySelector(".body button, .body input, .body select");
  (first ?? node).focus();
  return node;
}

export function section(title, ...content) { return make("section", "", make("h3", "", title), ...content); }

/** Buttons of which one is chosen. `choices`: [value, label] pairs. */
export class Choice {
  constructor(choices, chosen, onChange = () => {}) {
    this.node = make("div", "choice");
    this.buttons = new Map();
    this.onChange = onChange;
    for (const [value, label] of choices) {
      const press = button(label, () => this.choose(value));
      this.buttons.set(value, press);
      this.node.append(press);
    }
    this.value = null;
    if (chosen !== null && chosen !== undefined) this.choose(chosen, true);
  }

  choose(value, quietly = false) {
    this.value = value;
    for (const [other, press] of this.buttons) press.setAttribute("aria-pressed", String(other === value));
    if (!quietly) this.onChange(value);
  }
}

/** All 27 kinds. A digit and then m, s or p chooses one by keyboard. */
function kinds(onPick, chosen) {
  const node = make("div", "kinds");
  let digit = "";
  for (const kind of KINDS) {
    const press = make("button", "pick", tileImage(kind));
    press.type = "button";
    press.setAttribute("aria-label", tileName(kind));
    press.setAttribute("aria-pressed", String(kind === chosen));
    press.dataset.kind = kind;
    press.addEventListener("click", () => onPick(kind));
    node.append(press);
  }
  node.addEventListener("keydown", (event) => {
    const all = [...node.children], at = all.indexOf(document.activeElement);
    const step = { ArrowLeft: -1, ArrowRight: 1, ArrowUp: -9, ArrowDown: 9 }[event.key];
    if (step && at >= 0) { all[(at + step + 27) % 27].focus(); event.preventDefault(); }
    else if (/^[1-9]$/.test(event.key)) digit = event.key;
    else if (digit && "msp".includes(event.key)) { onPick(digit + event.key); digit = ""; }
    else return;
    event.stopPropagation();
  });
  node.title = say("typeTile");
  return node;
}

/** One tile. */
export class TilePicker {
  constructor(chosen, onPick = () => {}) {
    this.value = chosen ?? null;
    this.node = kinds((kind) => {
      this.value = kind;
      for (const press of this.node.children) press.setAttribute("aria-pressed", String(press.dataset.kind === kind));
      onPick(kind);
    }, chosen);
  }
}

/** Several tiles, at most four of a kind. */
export class TilesPicker {
  constructor(most) {
    this.tiles = [];
    this.list = make("div", "chosen");
    this.node = make("details", "tilespicker", make("summary", "", this.list), kinds((kind) => {
      if (this.tiles.length < most && this.tiles.filter((t) => t === kind).length < 4) this.tiles.push(kind);
      this.render();
    }));
    this.render();
  }

  render() {
    this.tiles.sort();
    this.list.replaceChildren(...this.tiles.map((tile) => tileImage(tile, "small")), make("span", "more", "＋"));
    if (this.tiles.length) {
      this.list.append(button(say("clear"), (event) => { event.preventDefault(); this.tiles = []; this.render(); }));
    }
  }

  /** Notation, or undefined when nothing is chosen. */
  get value() { return this.tiles.length ? notation(this.tiles) : undefined; }
}
