"use strict";
// Four corners dragged over the picture (mouse, finger or arrow keys). The server judges them; the grid is drawn here.

const byId = (id) => document.getElementById(id);
const stage = byId("stage"), picture = byId("picture"), net = byId("net");
const handles = [...document.querySelectorAll(".corner")];
const SVG = "http://www.w3.org/2000/svg";
let corners = [];

// The homography from the unit square to the four corners, near-left first.
function projector(c) {
  const [[x0, y0], [x1, y1], [x2, y2], [x3, y3]] = c;
  const sx = x0 - x1 + x2 - x3, sy = y0 - y1 + y2 - y3;
  const dx1 = x1 - x2, dx2 = x3 - x2, dy1 = y1 - y2, dy2 = y3 - y2;
  const d = dx1 * dy2 - dx2 * dy1;
  const g = (sx * dy2 - dx2 * sy) / d, h = (dx1 * sy - sx * dy1) / d;
  const a = x1 - x0 + g * x1, b = x3 - x0 + h * x3, e = y1 - y0 + g * y1, f = y3 - y0 + h * y3;
  return (u, v) => { const w = g * u + h * v + 1; return [(a * u + b * v + x0) / w, (e * u + f * v + y0) / w]; };
}

function draw() {
  const width = picture.clientWidth, height = picture.clientHeight;
  handles.forEach((handle, i) => {
    handle.style.left = `${corners[i][0] * width}px`;
    handle.style.top = `${corners[i][1] * height}px`;
  });
  net.setAttribute("viewBox", `0 0 ${width} ${height}`);
  net.replaceChildren();
  const at = projector(corners.map(([x, y]) => [x * width, y * height]));
  const line = (from, to, kind) => {
    const node = document.createElementNS(SVG, "line");
    const [x1, y1] = at(...from), [x2, y2] = at(...to);
    for (const [key, value] of Object.entries({ x1, y1, x2, y2 })) node.setAttribute(key, value.toFixed(1));
    node.setAttribute("class", kind);
    net.append(node);
  };
  const columns = 31, rows = 24; // about tile-sized on a table of 85 cm
  for (let i = 0; i <= columns; i++) line([i / columns, 0], [i / columns, 1], i % columns ? "thin" : "edge");
  for (let i = 0; i <= rows; i++) line([0, i / rows], [1, i / rows], i % rows ? "thin" : "edge");
}

async function send(path) {
  const body = JSON.stringify({ corners, near: byId("near").value });
  const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body });
  const result = await answer.json();
  const words = result.ok ? [...result.words.zh, ...result.words.en] : [result.error];
  byId("words").replaceChildren(...words.map((text) => {
    const item = document.createElement("li");
    item.textContent = text;
    if (!result.ok) item.className = "bad";
    return item;
  }));
  byId("save").disabled = !result.ok;
  return result.ok;
}

let waiting = null;
function moved() {
  draw();
  clearTimeout(waiting);
  waiting = setTimeout(() => send("/check").catch(() => {}), 200);
}

function place(i, clientX, clientY) {
  const box = picture.getBoundingClientRect();
  const clamp = (v) => Math.min(1, Math.max(0, v));
  corners[i] = [clamp((clientX - box.left) / box.width), clamp((clientY - box.top) / box.height)];
  moved();
}

handles.forEach((handle, i) => {
  handle.addEventListener("pointerdown", (event) => { handle.setPointerCapture(event.pointerId); event.preventDefault(); handle.focus(); });
  handle.addEventListener("pointermove", (event) => { if (handle.hasPointerCapture(event.pointerId)) place(i, event.clientX, event.clientY); });
  handle.addEventListener("keydown", (event) => {
    const step = (event.shiftKey ? 10 : 1);
    const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    if (!by) return;
    event.preventDefault();
    const box = picture.getBoundingClientRect();
    place(i, box.left + corners[i][0] * box.width + by[0], box.top + corners[i][1] * box.height + by[1]);
  });
});
byId("near").addEventListener("change", moved);
byId("save").addEventListener("click", async () => {
  if (await send("/save")) {
    byId("save").textContent = "已保存 Saved";
    byId("save").disabled = true;
  }
});
window.addEventListener("resize", () => corners.length && draw());

async function begin() {
  const start = await (await fetch("/start")).json();
  corners = start.corners;
  byId("near").value = start.near;
  if (!picture.complete) await new Promise((done) => { picture.onload = done; });
  moved();
}
begin();
