// The list of tables: how each is doing, and the way to its page.

import { byId, make, money, pause, Shown } from "./dom.js";
import { cameraWord } from "./panels.js";
import { lang, say, SEATS, setLang } from "./words.js";

const WELL = ["ok", "ended"];
const shown = new Shown();
let tables = [];

function pill(table) {
  if (table.over) return make("span", "pill over", say("over"));
  if (table.paused) return make("span", "pill over", say("paused"));
  const camera = Object.values(table.cameras).find((c) => !WELL.includes(c.state));
  if (camera) return make("span", "pill bad", cameraWord(camera.state));
  if (!table.ok) return make("span", "pill bad", say("unwell"));
  return make("span", "pill ok", `${say("live")}${table.fps ? ` · ${table.fps.toFixed(1)} fps` : ""}`);
}

function card(table) {
  const facts = [
    table.ruleset?.[lang()], table.hand ? say("hand", { n: table.hand }) : say("waiting"),
    table.wall_left === null ? "" : `${say("wall")} ${table.wall_left}`,
  ];
  const link = make("a", "",
    make("header", "", make("h2", "", table.name), pill(table)),
    make("p", "", facts.filter(Boolean).join(" · ")),
    make("p", "say", table.said?.[lang()] ?? ""),
    make("table", "",
      make("tr", "", ...SEATS.map((seat) => make("th", "", table.names[seat]?.[lang()] ?? say(seat)))),
      make("tr", "", ...SEATS.map((seat) => make("td", "", money(table.totals[seat] ?? 0))))));
  link.href = table.path;
  return make("li", "", link);
}

function render(connected) {
  document.documentElement.lang = lang() === "zh" ? "zh-CN" : "en";
  document.title = say("tables");
  for (const node of document.querySelectorAll("[data-say]")) node.textContent = say(node.dataset.say);
  byId("link").hidden = connected;
  byId("link").className = "pill bad";
  byId("link").textContent = say("lost");
  if (shown.changed("tables", lang(), tables)) byId("tables").replaceChildren(...tables.map(card));
}

byId("lang").addEventListener("click", () => { setLang(lang() === "zh" ? "en" : "zh"); render(true); });
for (;;) {
  let connected = false;
  try {
    const answer = await fetch("tables", { cache: "no-store", signal: AbortSignal.timeout(2000) });
    if (answer.ok) [tables, connected] = [(await answer.json()).tables, true];
  } catch { /* said by the pill */ }
  render(connected);
  await pause(1000);
}
