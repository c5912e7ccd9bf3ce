// Keyboard shortcuts: one table for what they do and for the list that "?" shows.

import { dialogOpen, openDialog } from "./dialog.js";
import { make } from "./dom.js";
import { moveFocus } from "./seats.js";
import { say } from "./words.js";

/** @param {Object<string, [string, Function]>} acts key → [word of what it does, act] */
export function listenToKeys(acts) {
  const help = () => openDialog(say("help"), make("dl", "keys",
    ...["?", ...Object.keys(acts)].flatMap((key) => [make("dt", "", make("kbd", "", key)), make("dd", "", say(key === "?" ? "h_help" : acts[key][0]))]),
    make("dt", "", make("kbd", "", "← ↑ → ↓")), make("dd", "", say("h_move")),
    make("dt", "", make("kbd", "", "Enter")), make("dd", "", say("h_open")),
    make("dt", "", make("kbd", "", "Esc")), make("dd", "", say("h_close"))));
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    if (event.target.closest("input, select, textarea") || dialogOpen()) return;
    if (event.key === "?") help();
    else if (event.key.startsWith("Arrow")) moveFocus(event.key);
    else if (acts[event.key]) acts[event.key][1]();
    else return;
    event.preventDefault();
  });
  return help;
}
