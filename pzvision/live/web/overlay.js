// The overlay for streams: transparent, sized by its address, never showing old data as live.

import { byId, make, money, pause, Shown } from "./dom.js";
import { Feed } from "./feed.js";
import { Settlement } from "./settle.js";
import { loadTiles, meldImage, tileImage, tilesOf } from "./tiles.js";
import { lang, say, SEATS } from "./words.js";

const THEMES = ["felt", "paper", "plain"];
const PARTS = ["info", "seats", "melds", "hands", "waits", "money", "news", "settle"];
const AT_FIRST = PARTS.filter((part) => part !== "hands");
/** Without an answer, or without news from the game, for so long, what is shown is marked as old. */
const STALE_MS = 2200;
const NEWS_MS = 8000;
const WELL = ["ok", "ended", "opening"];

const query = new URLSearchParams(location.search);
function size(name, least, most, otherwise) {
  const value = Number(query.get(name));
  return query.has(name) && Number.isFinite(value) ? Math.min(most, Math.max(least, value)) : otherwise;
}
const width = size("width", 320, 7680, 1920), height = size("height", 180, 4320, 1080), scale = size("scale", 0.3, 4, 1);
const theme = THEMES.includes(query.get("theme")) ? query.get("theme") : THEMES[0];
const asked = [...(query.get("seats") || "").toUpperCase()].filter((seat, i, all) => SEATS.includes(seat) && all.indexOf(seat) === i);
const parts = new Set(query.has("show") ? query.get("show").split(",").filter((part) => PARTS.includes(part)) : AT_FIRST);

const stage = byId("stage");
const upright = width < 1.2 * height;
document.documentElement.lang = lang() === "zh" ? "zh-CN" : "en";
document.documentElement.style.fontSize = `${16 * scale * Math.min(width / (upright ? 1080 : 1920), height / (upright ? 1920 : 1080))}px`;
document.body.dataset.theme = theme;
stage.style.width = `${width}px`;
stage.style.height = `${height}px`;
stage.classList.toggle("upright", upright);

const info = make("div", "info"), mark = make("div", "mark"), news = make("div", "news"), cards = make("div", "cards"), settled = make("div", "settled");
mark.hidden = news.hidden = settled.hidden = true;
stage.append(info, mark, settled, news, cards);

const shown = new Shown();
const settlement = new Settlement(settled, cards);
let heard = null; // the announcement shown, with the time it came

/** Seats from the one at the near edge, in the order of play; or those asked for. */
function order(state) {
  if (asked.length) return asked;
  const near = Math.max(0, SEATS.indexOf(state.near_seat));
  return SEATS.map((_, i) => SEATS[(near + i) % 4]);
}

function card(state, seat) {
  const player = state.seats[seat];
  const node = make("article", "card");
  node.dataset.seat = seat;
  node.classList.toggle("turn", state.turn === seat && state.phase !== "over");
  const who = make("div", "who", make("span", "wind", say(seat)), make("span", "name", player.name[lang()]));
  if (state.dealer === seat) who.append(make("span", "tag dealer", say("dealer")));
  if (player.declaration !== "none") who.append(make("span", "tag say", say(player.declaration)));
  for (const extra of player.marks) who.append(make("span", "tag say", say(extra)));
  if (player.won) who.append(make("span", "tag won", say("won")));
  if (parts.has("money")) who.append(make("span", "total", money(player.total)));
  node.append(who);
  const tiles = make("div", "tiles");
  if (parts.has("melds")) tiles.append(...player.melds.map((meld) => meldImage(meld, "")));
  const open = ["dance", "bai"].includes(player.declaration) || player.won || state.phase === "over";
  if (parts.has("hands") || (open && parts.has("melds"))) tiles.append(...tilesOf(player.known).map((tile) => tileImage(tile)));
  if (tiles.childElementCount) node.append(tiles);
  if (parts.has("waits") && player.waits.length) {
    node.append(make("div", "waits", make("span", "label", say("waits")), ...player.waits.map((wait) => {
      const left = wait.left === null ? null : make("small", "", say(wait.most ? "leftMost" : "left", { n: wait.left }));
      return make("span", wait.legal === false ? "wait illegal" : "wait", tileImage(wait.tile), left, wait.fan ? make("b", "", say("fan", { n: wait.fan })) : null);
    })));
  }
  return node;
}

function renderInfo(state) {
  if (!shown.changed("info", state.hand, state.ruleset, state.base, state.wall_left, state.tail_lamp, state.delay)) return;
  info.replaceChildren();
  if (state.hand) info.append(make("b", "", say("hand", { n: state.hand })));
  if (state.ruleset) info.append(make("span", "", state.ruleset.name[lang()]), make("span", "", say("base", { n: state.base })));
  if (state.wall_left !== null) info.append(make("span", "", `${say("wall")} ${state.wall_left}`));
  if (state.tail_lamp) info.append(make("span", "lamp", say("lamp"), tileImage(state.tail_lamp)));
  if (state.delay) info.append(make("span", "delay", say("delayed", { n: state.delay })));
}

function renderNews(state) {
  const last = state.announcements.findLast((item) => !item.retracted);
  if (!last) { heard = null; return; }
  if (heard && heard.seq === last.seq && heard.zh === last.zh) return;
  // What was said before this page came is shown only when it is fresh in the game's own time.
  const age = heard === null && state.source && last.t !== null ? (state.source.t - last.t) * 1000 : 0;
  heard = { seq: last.seq, zh: last.zh, until: performance.now() + NEWS_MS - age };
  news.className = `news ${last.kind}`;
  news.replaceChildren(make("span", "", last[lang()]));
  if (age < NEWS_MS) news.animate?.([{ opacity: 0, translate: "0 1.5rem" }, { opacity: 1, translate: "0 0" }], { duration: 350, easing: "ease-out" });
}

function render(state) {
  if (!state.seats) return;
  if (parts.has("info")) renderInfo(state);
  if (parts.has("seats") && shown.changed("cards", state.seats, state.turn, state.phase, state.dealer)) {
    cards.replaceChildren(...order(state).map((seat) => card(state, seat)));
  }
  if (parts.has("news")) renderNews(state);
  if (parts.has("settle")) settlement.follow(state);
  renderMark();
}

/** Why what is shown may not be what is on the table now; "" when it is. */
function staleness() {
  const state = feed.state;
  if (!state || !state.seats) return "";
  if (state.source && state.source.over && feed.silence < STALE_MS) return say("overlayOver");
  if (feed.silence > STALE_MS || (!state.paused && state.age * 1000 + feed.silence > STALE_MS)) return say("stale");
  if (state.paused) return say("paused");
  const cameras = state.cameras || {};
  const main = cameras.table ?? Object.values(cameras)[0];
  return main && !WELL.includes(main.state) ? say("stalePicture") : "";
}

function renderMark() {
  const why = staleness();
  mark.hidden = why === "";
  mark.textContent = why;
  document.body.classList.toggle("stale", why !== "" && why !== say("overlayOver"));
  news.hidden = !heard || performance.now() > heard.until || document.body.classList.contains("stale");
}

async function tiles() {
  for (;;) {
    try { await loadTiles(); return; } catch { await pause(1000); }
  }
}

const feed = new Feed("overlay/state", "overlay/events", { onState: render }, 800);
tiles();
feed.start();
setInterval(renderMark, 200);
