// Small helpers. Text goes in by textContent only, so a name can never become markup.

export function make(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children.filter((c) => c !== null && c !== undefined));
  return node;
}

export function button(text, onClick, className = "") {
  const node = make("button", className, text);
  node.type = "button";
  node.addEventListener("click", onClick);
  return node;
}

export const byId = (id) => document.getElementById(id);

export function money(value) {
  return make("span", value > 0 ? "plus" : value < 0 ? "minus" : "", (value > 0 ? "+" : "") + value);
}

export function clock(t) {
  if (t === null || t === undefined) return "";
  const s = Math.max(0, Math.floor(t));
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
}

/** Which of several tables this page is about; empty where there is one. */
export const tableName = () => decodeURIComponent(location.pathname.match(/^\/t\/([^/]+)\//)?.[1] ?? "");

export const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Remembers what a part showed; true when it has to be built anew. */
export class Shown {
  constructor() { this.parts = new Map(); }
  changed(part, ...values) {
    const now = JSON.stringify(values);
    if (this.parts.get(part) === now) return false;
    this.parts.set(part, now);
    return true;
  }
  forget() { this.parts.clear(); }
}
