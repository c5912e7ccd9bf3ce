// What stands around the table: facts, cameras, announcements, money.

import { button, byId, clock, make, money, Shown, tableName } from "./dom.js";
import { seatName } from "./seats.js";
import { lang, say, SEATS } from "./words.js";

const shown = new Shown();
/** A camera in any other state needs somebody. */
const WELL = ["ok", "ended"];

export function renderFacts(state) {
  const facts = [];
  const add = (...parts) => facts.push(make("li", "", ...parts));
  if (tableName()) {
    const all = make("a", "", tableName());
    all.href = "../../";
    add(all);
  }
  if (state.ruleset) add(make("b", "", state.ruleset.name[lang()]), " ", say("base", { n: state.base }));
  if (state.hand) add(say("hand", { n: state.hand }));
  if (state.source) add(clock(state.source.t) + (state.source.duration ? ` / ${clock(state.source.duration)}` : ""));
  byId("facts").replaceChildren(...facts);
  const bar = byId("progress");
  bar.hidden = !(state.source && state.source.duration);
  if (!bar.hidden) bar.firstElementChild.style.width = `${Math.min(100, (100 * state.source.t) / state.source.duration)}%`;
}

export function cameraWord(state) { return say(state === "lost" ? "cameraLost" : state); }

/** The pill at the top: is this live, a recording, over, or is something wrong. */
export function renderLink(state, health, connected) {
  const pill = byId("link");
  let text = say("lost"), kind = "bad";
  if (connected && state) {
    const camera = Object.values(health?.cameras || {}).find((c) => !WELL.includes(c.state));
    if (state.source && state.source.over) [text, kind] = [say("over"), "over"];
    else if (state.paused) [text, kind] = [say("paused"), "over"];
    else if (camera) text = cameraWord(camera.state);
    else [text, kind] = [say(state.source && state.source.duration ? "recording" : "live"), "ok"];
    if (health && health.fps && kind === "ok") text += ` · ${health.fps.toFixed(1)} fps`;
  }
  pill.textContent = text;
  pill.className = `pill ${kind}`;
}

/** Each camera with its health; where there are several, a button that shows its picture. */
export function renderCameras(health, onCamera) {
  if (!health || !shown.changed("cameras", lang(), health)) return;
  const all = Object.entries(health.cameras || {});
  const items = all.map(([name, camera], i) => {
    const details = [
      cameraWord(camera.state),
      camera.fps ? `${camera.fps.toFixed(1)} fps` : "",
      camera.dropped ? say("dropped", { n: camera.dropped }) : "",
      camera.reconnects ? say("reconnects", { n: camera.reconnects }) : "",
      typeof camera.reason === "string" ? camera.reason : "",
    ];
    const dot = make("i", WELL.includes(camera.state) ? "dot" : "dot bad");
    const title = all.length > 1 ? button(name, () => onCamera(i === 0 ? "" : name), "camera") : make("b", "", name);
    return make("li", "", dot, title, " ", details.filter(Boolean).join(" · "));
  });
  if (health.latency_ms) items.push(make("li", "", say("latency", { n: Math.round(health.latency_ms.p95) })));
  if (health.store?.state === "failing") {
    const reason = typeof health.store.reason === "string" ? ` · ${health.store.reason}` : "";
    items.push(make("li", "", make("i", "dot bad"), make("b", "", say("store")), ` ${say("failing")}${reason}`));
  }
  byId("cameras").replaceChildren(...items);
}

export function renderMoney(state) {
  const names = SEATS.map((seat) => seatName(state, seat));
  if (!shown.changed("money", lang(), state.hand, state.totals, state.session_totals, state.ledger, names)) return;
  const cells = (values) => SEATS.map((seat) => make("td", "", money(values[seat])));
  byId("totals").tHead.replaceChildren(make("tr", "", make("th", ""), ...names.map((name) => make("th", "", name))));
  const rows = [];
  if (state.hand) rows.push(make("tr", "", make("td", "", say("handTotal")), ...cells(state.totals)));
  rows.push(make("tr", "", make("td", "", say("total")), ...cells(state.session_totals)));
  byId("totals").tBodies[0].replaceChildren(...rows);
  const lines = state.ledger.slice().reverse().map((pay) => make("tr", "",
    make("td", "", `${seatName(state, pay.from)} → ${seatName(state, pay.to)}`),
    make("td", "why", pay.why[lang()]), make("td", "", String(pay.amount))));
  byId("ledger").tBodies[0].replaceChildren(...(lines.length ? lines : [make("tr", "", make("td", "nothing", say("nothing")))]));
}

/** Announcements of the stream that no state knows yet: they are shown without waiting for one. */
let heard = [];
const HEARD_MS = 5000;

/** A record of the stream; what takes something back waits for the state. */
export function hearNews(record, state) {
  if (record.type !== "announce" || record.retracts || !state || !state.seats || record.seq <= state.seq) return;
  heard.push({ ...record, at: performance.now() });
  renderNews(state);
}

export function renderNews(state) {
  // A program begun anew counts from one again: what it never says must not stay.
  heard = heard.filter((a) => a.seq > state.seq && performance.now() - a.at < HEARD_MS);
  const lines = [...state.announcements, ...heard].reverse().map((a) => [a.seq, a.kind + (a.retracted ? " retracted" : ""), clock(a.t), a[lang()]]);
  if (!shown.changed("news", lang(), lines)) return;
  const items = lines.map(([seq, kind, time, text]) => {
    const item = make("li", kind, make("time", "", time), make("span", "", text));
    item.dataset.seq = seq;
    return item;
  });
  byId("news").replaceChildren(...(items.length ? items : [make("li", "empty", say("noNews"))]));
}
