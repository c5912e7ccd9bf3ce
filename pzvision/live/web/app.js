// The table page. Everything shown comes from /state; /events says when it changed.

import { readLog } from "./api.js";
import {
  confirmDoubt, correctionsFor, declareFor, doubtCards, editLying, editRecord, editTile, handSettings, insertRecord, resync, togglePause, undoLast,
} from "./correct.js";
import { openDialog } from "./dialog.js";
import { button, byId, clock, make, pause, Shown, tableName } from "./dom.js";
import { Feed } from "./feed.js";
import { listenToKeys } from "./keys.js";
import { renderMap } from "./map.js";
import { hearNews, renderCameras, renderFacts, renderLink, renderMoney, renderNews } from "./panels.js";
import { showCamera, watchPicture } from "./picture.js";
import { renderTable } from "./seats.js";
import { overlaySettings } from "./stream.js";
import { loadTiles } from "./tiles.js";
import { Voice } from "./voice.js";
import { lang, say, setLang } from "./words.js";

const shown = new Shown();
let health = null;
let logShown = false;
let mapShown = false;

const feed = new Feed("state", "events", {
  onState: () => render(),
  onRecord: (record) => { voice.hear(record); hearNews(record, feed.state); },
  onLink: () => renderLink(feed.state, health, feed.connected),
}, 1500, () => !voice.on);
const voice = new Voice(() => {
  byId("voice").setAttribute("aria-pressed", String(voice.on));
});

function render() {
  const state = feed.state;
  document.documentElement.lang = lang() === "zh" ? "zh-CN" : "en";
  document.title = [tableName(), say("title")].filter(Boolean).join(" · ");
  for (const node of document.querySelectorAll("[data-say]")) node.textContent = say(node.dataset.say);
  renderLink(state, health, feed.connected);
  renderCameras(health, showCamera);
  if (!state || !state.seats) return;
  correctionsFor(state);
  byId("pause").textContent = say(state.paused ? "resume" : "pause");
  renderFacts(state);
  byId("calibrate").hidden = !state.source?.live;
  byId("tab-map").hidden = !state.tiles;
  if (mapShown && state.tiles) renderMap(state, editLying);
  else renderTable(state, editTile, declareFor);
  renderMoney(state);
  renderNews(state);
  if (shown.changed("doubts", lang(), state.doubts)) byId("doubts").replaceChildren(...doubtCards());
  if (logShown && shown.changed("log", lang(), state.seq)) renderLog();
}

async function renderLog() {
  const log = await readLog();
  const hand = log.length ? log.at(-1).hand : 0;
  const items = log.filter((item) => item.hand === hand).reverse().map((item) => {
    const press = button("✎", () => editRecord(item.event), "edit");
    press.setAttribute("aria-label", say("editThis"));
    return make("li", item.doubt ? "uncertain" : "", make("time", "", clock(item.record.t)),
      make("span", "", item.text?.[lang()] ?? item.record.type), press);
  });
  byId("log").replaceChildren(...(items.length ? items : [make("li", "empty", say("noEvents"))]));
}

function showLog(wanted) {
  logShown = wanted;
  byId("log").hidden = !wanted;
  byId("news").hidden = wanted;
  byId("tab-log").setAttribute("aria-selected", String(wanted));
  byId("tab-news").setAttribute("aria-selected", String(!wanted));
  if (wanted) { shown.parts.delete("log"); render(); }
}

function showMap(wanted) {
  mapShown = wanted && Boolean(feed.state?.tiles);
  byId("map").toggleAttribute("hidden", !mapShown);
  byId("felt").hidden = mapShown;
  byId("tab-map").setAttribute("aria-selected", String(mapShown));
  byId("tab-seats").setAttribute("aria-selected", String(!mapShown));
  render();
}

async function watchHealth() {
  for (;;) {
    if (feed.asleep) { await pause(500); continue; }
    try { health = await (await fetch("health", { cache: "no-store", signal: AbortSignal.timeout(2000) })).json(); } catch { /* the feed says so */ }
    renderLink(feed.state, health, feed.connected);
    renderCameras(health, showCamera);
    await pause(1500);
  }
}

const switchLang = () => { setLang(lang() === "zh" ? "en" : "zh"); render(); };
const switchVoice = () => voice.turn(!voice.on, feed.state ? feed.state.seq : 0);
const withState = (act) => () => { if (feed.state && feed.state.seats) act(); };
const overlay = () => overlaySettings(feed.state);

const acts = {
  u: ["h_undo", withState(undoLast)],
  i: ["h_insert", withState(() => insertRecord())],
  d: ["h_declare", withState(() => declareFor())],
  r: ["h_resync", withState(resync)],
  n: ["h_hand", withState(handSettings)],
  p: ["h_pause", withState(togglePause)],
  1: ["h_confirm", withState(() => confirmDoubt(0))],
  2: ["h_confirm", withState(() => confirmDoubt(1))],
  g: ["h_news", () => showLog(!logShown)],
  m: ["h_map", () => showMap(!mapShown)],
  v: ["h_voice", switchVoice],
  l: ["h_lang", switchLang],
  o: ["h_overlay", overlay],
};
const help = listenToKeys(acts);
const clicks = {
  lang: switchLang, help, overlay,
  voice: () => { if (!voice.on) switchVoice(); openDialog(say("voice"), voice.controls(() => (feed.state ? feed.state.seq : 0))); },
  undo: acts.u[1], insert: acts.i[1], declare: acts.d[1], resync: acts.r[1], hand: acts.n[1], pause: acts.p[1],
  "tab-news": () => showLog(false), "tab-log": () => showLog(true),
  "tab-seats": () => showMap(false), "tab-map": () => showMap(true),
};
for (const [id, act] of Object.entries(clicks)) byId(id).addEventListener("click", act);

render();
loadTiles().catch(() => {});
feed.start();
watchHealth();
watchPicture();
