// Asking the program to change something, and telling the person how that went.

import { byId } from "./dom.js";
import { lang, say } from "./words.js";

let hiding = 0;

/** A short note at the edge of the page. */
export function toast(text, bad = false) {
  const node = byId("toast");
  node.textContent = text;
  node.className = bad ? "bad" : "";
  node.hidden = false;
  clearTimeout(hiding);
  hiding = setTimeout(() => { node.hidden = true; }, bad ? 8000 : 2500);
}

/** POST; true when the program did it. What it shows then comes with the stream. */
export async function ask(address, body) {
  let answer = null;
  try {
    const response = await fetch(address, {
      method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body), signal: AbortSignal.timeout(8000),
    });
    answer = await response.json();
  } catch {
    toast(say("offline"), true);
    return false;
  }
  if (answer.ok) toast(say("done"));
  else toast(`${say("refused")}: ${answer.error?.[lang()] ?? ""}`, true);
  return answer.ok;
}

export const correct = (kind, fields = {}) => ask("api/corrections", { kind, ...fields });

/** Every record of the evening, [] when they cannot be read. */
export async function readLog() {
  try {
    const answer = await (await fetch("api/log", { cache: "no-store", signal: AbortSignal.timeout(4000) })).json();
    return answer.records ?? [];
  } catch { return []; }
}
