"use strict";
// The table page. Everything shown comes from /state; /events says when it changed. All text goes in by
// textContent, so a player's name can never become markup.

const WORDS = {
  zh: {
    title: "攀枝花麻将 · 牌桌", picture: "现场画面", noPicture: "还没有画面", news: "播报", table: "牌桌", money: "账本",
    ledger: "本局明细", lang: "English", voice: "语音", live: "直播中", recording: "放录像", over: "录像放完了",
    lost: "断开,正在重连…", waiting: "等待开局", hand: "第{n}局", dealer: "庄", wall: "剩余牌", turn: "轮到{who}", lamp: "尾灯",
    river: "河", melds: "副露", held: "手牌", hidden: "{n} 张暗牌", waits: "听", left: "剩{n}", fan: "{n}番", nothing: "还没有",
    total: "合计", handTotal: "本局", base: "底 {n}", noNews: "还没有播报", won: "胡了", wonTile: "胡", handOver: "本局结束",
    sing: "唱歌", dance: "跳舞", bai: "摆牌", alarm: "报警", tian_jiao: "天叫", bao_ting: "报听", peng: "碰",
    zhi_gang: "点杠", an_gang: "暗杠", ba_gang: "巴杠", E: "东", S: "南", W: "西", N: "北", camera: "摄像头",
    black: "画面全黑", frozen: "画面不动了", cameraLost: "摄像头断开", opening: "正在打开", pays: "付", kongs: "可杠", unsure: "看不准",
  },
  en: {
    title: "Panzhihua mahjong table", picture: "Live picture", noPicture: "No picture yet", news: "Announcements", table: "Table",
    money: "Ledger", ledger: "This hand", lang: "中文", voice: "Voice", live: "Live", recording: "Recording", over: "Recording is over",
    lost: "Disconnected, retrying…", waiting: "Waiting for a hand", hand: "Hand {n}", dealer: "Dealer", wall: "tiles left", turn: "{who} to play", lamp: "Tail lamp",
    river: "River", melds: "Melds", held: "Hand", hidden: "{n} hidden", waits: "Waits", left: "{n} left", fan: "{n} fan", nothing: "Nothing yet",
    total: "Total", handTotal: "Hand", base: "base {n}", noNews: "Nothing announced yet", won: "Won", wonTile: "on", handOver: "Hand over",
    sing: "sings", dance: "dances", bai: "shows", alarm: "alarm", tian_jiao: "tian jiao", bao_ting: "ready called", peng: "peng",
    zhi_gang: "claimed kong", an_gang: "concealed kong", ba_gang: "added kong", E: "E", S: "S", W: "W", N: "N", camera: "Camera",
    black: "picture is black", frozen: "picture is frozen", cameraLost: "camera lost", opening: "opening", pays: "pays", kongs: "Kongs", unsure: "unsure",
  },
};
const SEATS = ["E", "S", "W", "N"];
const query = new URLSearchParams(location.search);
let lang = query.get("lang") || remembered("lang") || "zh";
if (!(lang in WORDS)) lang = "zh";
let state = null;
let health = null;
let connected = false;
let voice = false;
let spokenSeq = Infinity;

function remembered(key) { try { return localStorage.getItem(key); } catch { return null; } }
function remember(key, value) { try { localStorage.setItem(key, value); } catch { /* private window */ } }
function say(key, fields = {}) {
  return (WORDS[lang][key] ?? key).replace(/\{(\w+)\}/g, (_, name) => fields[name] ?? "");
}
function make(tag, className, ...children) {
  const node = document.createElement(tag);
  if (className) node.className = className;
  node.append(...children.filter((c) => c !== null && c !== undefined));
  return node;
}
const byId = (id) => document.getElementById(id);
function tilesOf(text) {
  const out = [];
  for (const [, digits, suit] of (text || "").matchAll(/([1-9]+)([msp])/g)) for (const d of digits) out.push(d + suit);
  return out;
}
function tileName(tile) {
  const i = "msp".indexOf(tile[1]), n = +tile[0];
  return lang === "zh" ? "一二三四五六七八九"[n - 1] + "万条筒"[i] : `${n} of ${["characters", "bamboos", "dots"][i]}`;
}
const SVG = "http://www.w3.org/2000/svg";
function tileImage(tile, className = "") {
  const image = document.createElementNS(SVG, "svg");
  image.setAttribute("class", `tile ${className}`);
  image.setAttribute("viewBox", "0 0 60 80");
  const use = document.createElementNS(SVG, "use");
  use.setAttribute("href", `#t${tile}`);
  image.append(use);
  if (tile === "back") image.setAttribute("aria-hidden", "true");
  else {
    image.setAttribute("role", "img");
    image.setAttribute("aria-label", tileName(tile));
    const title = document.createElementNS(SVG, "title");
    title.textContent = tileName(tile);
    image.append(title);
  }
  return image;
}
async function loadTiles() {
  const text = await (await fetch("/tiles/all.svg")).text();
  const sprite = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  sprite.setAttribute("class", "sprite");
  document.body.prepend(document.adoptNode(sprite));
}
function money(value) {
  return make("span", value > 0 ? "plus" : value < 0 ? "minus" : "", (value > 0 ? "+" : "") + value);
}
function seatName(seat) { return state.seats[seat].name[lang]; }
function clock(t) {
  if (t === null || t === undefined) return "";
  const s = Math.max(0, Math.floor(t));
  return `${Math.floor(s / 60)}:${String(s % 60).padStart(2, "0")}`;
}

// A part of the page is built anew only when what it shows has changed.
const shown = new Map();
function changed(part, ...values) {
  const now = JSON.stringify([lang, ...values]);
  if (shown.get(part) === now) return false;
  shown.set(part, now);
  return true;
}

function renderSeat(node, seat) {
  const player = state.seats[seat];
  if (!changed(node.id, seat, player, state.turn, state.phase, state.dealer, state.last_discard)) return;
  node.replaceChildren();
  node.classList.toggle("turn", state.turn === seat && state.phase !== "over");
  node.classList.toggle("out", Boolean(player.won));
  const who = make("div", "who", make("span", "wind", say(seat)), make("span", "name", seatName(seat)));
  if (state.dealer === seat) who.append(make("span", "tag dealer", say("dealer")));
  if (player.declaration !== "none") who.append(make("span", "tag say", say(player.declaration)));
  for (const extra of player.marks) who.append(make("span", "tag say", say(extra)));
  if (player.won) who.append(make("span", "tag won", say("won")));
  who.append(make("span", "total", money(player.total)));
  node.append(who);
  if (player.melds.length || player.known || player.unknown > 0) {
    const row = make("div", "row");
    for (const meld of player.melds) {
      const group = make("span", "meld");
      group.title = say(meld.kind);
      for (let i = 0; i < (meld.kind === "peng" ? 3 : 4); i++) group.append(tileImage(meld.tile, "small"));
      row.append(group);
    }
    for (const tile of tilesOf(player.known)) row.append(tileImage(tile));
    if (player.unknown > 0) {
      row.append(make("span", "backs", tileImage("back", "small"), make("span", "", say("hidden", { n: player.unknown }))));
    }
    node.append(row);
  }
  if (player.waits.length) {
    const row = make("div", "row", make("span", "label", say("waits")));
    for (const wait of player.waits) {
      const text = [wait.left !== null ? say("left", { n: wait.left }) : "", wait.fan ? say("fan", { n: wait.fan }) : ""];
      row.append(make("span", wait.legal === false ? "wait illegal" : "wait", tileImage(wait.tile, "small"), text.filter(Boolean).join(" · ")));
    }
    node.append(row);
  }
  if (player.kongs.length) {
    const row = make("div", "row", make("span", "label", say("kongs")));
    for (const kong of player.kongs) row.append(make("span", "wait", tileImage(kong.tile, "small"), say(kong.kind), kong.price ? ` +${kong.price}` : ""));
    node.append(row);
  }
  const river = make("div", "row", make("span", "label", say("river")));
  player.river.forEach((tile, i) => {
    const last = state.last_discard && state.last_discard.seat === seat && i === player.river.length - 1;
    river.append(tileImage(tile, last ? "last" : ""));
  });
  node.append(river);
}

function renderCentre() {
  const node = byId("centre");
  if (!changed("centre", state.wall_left, state.tail_lamp, state.phase, state.turn, state.seats[state.turn]?.name)) return;
  node.replaceChildren();
  if (state.wall_left === null || state.wall_left === undefined) { node.append(make("small", "", say("waiting"))); return; }
  node.append(make("div", "wall", String(state.wall_left)), make("small", "", say("wall")));
  if (state.tail_lamp) node.append(make("span", "lamp", make("small", "", say("lamp")), tileImage(state.tail_lamp, "small")));
  const text = state.phase === "over" ? say("handOver") : state.turn ? say("turn", { who: seatName(state.turn) }) : "";
  if (text) node.append(make("b", "", text));
}

function renderMoney() {
  if (!changed("money", state.hand, state.totals, state.session_totals, state.ledger, SEATS.map(seatName))) return;
  const head = make("tr", "", make("th", "", ""), ...SEATS.map((s) => make("th", "", seatName(s))));
  byId("totals").tHead.replaceChildren(head);
  const rows = [];
  if (state.hand) rows.push(make("tr", "", make("td", "", say("handTotal")), ...SEATS.map((s) => make("td", "", money(state.totals[s])))));
  rows.push(make("tr", "", make("td", "", say("total")), ...SEATS.map((s) => make("td", "", money(state.session_totals[s])))));
  byId("totals").tBodies[0].replaceChildren(...rows);
  const lines = state.ledger.slice().reverse().map((pay) =>
    make("tr", "", make("td", "", `${seatName(pay.from)} → ${seatName(pay.to)}`), make("td", "why", pay.why[lang]), make("td", "", String(pay.amount))));
  byId("ledger").tBodies[0].replaceChildren(...(lines.length ? lines : [make("tr", "", make("td", "nothing", say("nothing")))]));
}

function renderNews() {
  if (!changed("news", state.announcements)) return;
  const items = state.announcements.slice().reverse().map((a) => {
    const item = make("li", a.kind + (a.retracted ? " retracted" : ""), make("time", "", clock(a.t)), make("span", "", a[lang]));
    return item;
  });
  byId("news").replaceChildren(...(items.length ? items : [make("li", "empty", say("noNews"))]));
  speakNew();
}

function speakNew() {
  if (!voice || !window.speechSynthesis) return;
  const fresh = state.announcements.filter((a) => a.seq > spokenSeq && a.kind !== "settlement");
  spokenSeq = state.seq;
  if (!fresh.length) return;
  if (speechSynthesis.pending) speechSynthesis.cancel(); // newest wins
  for (const a of fresh.slice(-2)) {
    const words = new SpeechSynthesisUtterance(a[lang]);
    words.lang = lang === "zh" ? "zh-CN" : "en-US";
    speechSynthesis.speak(words);
  }
}

function renderFacts() {
  const facts = [];
  const add = (...parts) => facts.push(make("li", "", ...parts));
  if (state.ruleset) add(make("b", "", state.ruleset.name[lang]), " ", say("base", { n: state.base }));
  if (state.hand) add(say("hand", { n: state.hand }));
  if (state.source) add(clock(state.source.t) + (state.source.duration ? ` / ${clock(state.source.duration)}` : ""));
  byId("facts").replaceChildren(...facts);
  const bar = byId("progress");
  bar.hidden = !(state.source && state.source.duration);
  if (!bar.hidden) bar.firstElementChild.style.width = `${Math.min(100, (100 * state.source.t) / state.source.duration)}%`;
}

function renderLink() {
  const pill = byId("link");
  let text = say("lost"), kind = "bad";
  if (connected && state) {
    const camera = health && Object.values(health.cameras || {}).find((c) => ["lost", "black", "frozen", "opening"].includes(c.state));
    if (state.source && state.source.over) [text, kind] = [say("over"), "over"];
    else if (camera) text = say(camera.state === "lost" ? "cameraLost" : camera.state);
    else [text, kind] = [say(state.source && state.source.duration ? "recording" : "live"), "ok"];
    if (health && health.fps && kind === "ok") text += ` · ${health.fps.toFixed(1)} fps`;
  }
  pill.textContent = text;
  pill.className = `pill ${kind}`;
}

function render() {
  document.documentElement.lang = lang === "zh" ? "zh-CN" : "en";
  document.title = say("title");
  for (const node of document.querySelectorAll("[data-say]")) node.textContent = say(node.dataset.say);
  byId("lang").textContent = say("lang");
  byId("voice").textContent = say("voice");
  renderLink();
  if (!state || !state.seats) return;
  renderFacts();
  const near = SEATS.indexOf(state.near_seat);
  ["near", "right", "far", "left"].forEach((side, i) => renderSeat(byId(`seat-${side}`), SEATS[(near + i) % 4]));
  renderCentre();
  renderMoney();
  renderNews();
}

// -- following the game

let refreshing = false, again = false;
async function refresh() {
  if (refreshing) { again = true; return; }
  refreshing = true;
  try {
    do {
      again = false;
      const answer = await fetch("/state", { cache: "no-store" });
      if (!answer.ok) throw new Error(String(answer.status));
      state = await answer.json();
      connected = true;
      render();
    } while (again);
  } catch { connected = false; renderLink(); } finally { refreshing = false; }
}

function follow() {
  const source = new EventSource(`/events?last_event_id=${state ? state.seq : 0}`);
  source.onopen = () => { connected = true; refresh(); };
  source.onmessage = () => refresh();
  source.onerror = () => { connected = false; renderLink(); }; // the browser reconnects with Last-Event-ID
}

async function watchHealth() {
  try {
    health = await (await fetch("/health", { cache: "no-store" })).json();
    connected = true;
    if (!(state && state.source && state.source.over)) refresh();
  } catch { connected = false; }
  renderLink();
  setTimeout(watchHealth, 1500);
}

async function watchPicture() {
  const image = byId("frame");
  let number = 0, url = null;
  for (;;) {
    if (document.hidden) { await new Promise((done) => setTimeout(done, 500)); continue; }
    try {
      const answer = await fetch(`/frame.jpg?after=${number}`, { cache: "no-store" });
      if (answer.status === 200) {
        const next = +answer.headers.get("X-Frame");
        if (next !== number) {
          const fresh = URL.createObjectURL(await answer.blob());
          image.src = fresh;
          await image.decode().catch(() => {});
          if (url) URL.revokeObjectURL(url);
          url = fresh;
          byId("no-frame").hidden = true;
          await new Promise((done) => setTimeout(done, 100)); // leave the processor to the detector
        } else await new Promise((done) => setTimeout(done, 400));
        number = next;
      } else await new Promise((done) => setTimeout(done, 400));
    } catch { number = 0; await new Promise((done) => setTimeout(done, 1000)); }
  }
}

byId("lang").addEventListener("click", () => { lang = lang === "zh" ? "en" : "zh"; remember("lang", lang); render(); });
byId("voice").addEventListener("click", () => {
  voice = !voice;
  spokenSeq = state ? state.seq : Infinity;
  byId("voice").setAttribute("aria-pressed", String(voice));
  if (!voice && window.speechSynthesis) speechSynthesis.cancel();
});
render();
loadTiles().catch(() => {});
refresh().then(follow);
watchHealth();
watchPicture();
