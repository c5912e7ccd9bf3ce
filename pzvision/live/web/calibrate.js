"use strict";
// Four corners dragged over the picture (mouse, finger or arrow keys) or set by the printed corner cards.
// The server judges them; the grid is drawn here, over a live picture that goes on while one drags.

const byId = (id) => document.getElementById(id);
const stage = byId("stage"), picture = byId("picture"), net = byId("net"), loupe = byId("loupe");
const handles = [...document.querySelectorAll(".corner")];
const SVG = "http://www.w3.org/2000/svg";
let corners = [], grid = [31, 24], tableCm = null, live = false;

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
  const [columns, rows] = grid; // tile-sized
  for (let i = 0; i <= columns; i++) line([i / columns, 0], [i / columns, 1], i % columns ? "thin" : "edge");
  for (let i = 0; i <= rows; i++) line([0, i / rows], [1, i / rows], i % rows ? "thin" : "edge");
}

function tell(lines) {
  byId("words").replaceChildren(...lines.map(([text, kind]) => {
    const item = document.createElement("li");
    item.textContent = text;
    item.className = kind;
    return item;
  }));
}

async function send(what) {
  const body = { near: byId("near").value };
  if (what !== "auto") Object.assign(body, { corners }, tableCm === null ? {} : { table_cm: tableCm });
  const answer = await fetch(`calibrate/${what}`, {
    method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(body),
  });
  let result;
  try { result = await answer.json(); } catch { result = { ok: false, error: `${answer.status}` }; }
  if (!result.ok && typeof result.error === "object") result.error = `${result.error.zh} ${result.error.en}`;
  const why = [[result.error_zh, "bad"], [result.error, result.error_zh ? "bad en" : "bad"]].filter(([text]) => text);
  tell(result.ok ? [...result.words.zh.map((t) => [t, ""]), ...result.words.en.map((t) => [t, "en"])] : why);
  return result;
}

let waiting = null;
function moved() {
  draw();
  byId("save").textContent = "保存 Save";
  clearTimeout(waiting);
  waiting = setTimeout(async () => {
    try { byId("save").disabled = !(await send("check")).ok; } catch { /* the server is away; the next move asks again */ }
  }, 200);
}

function place(i, x, y) {
  const clamp = (v) => Math.min(1.2, Math.max(-0.2, v));
  corners[i] = [clamp(x), clamp(y)];
  moved();
}

// What lies under the finger, three times as large.
function magnify(i) {
  const box = picture.getBoundingClientRect();
  const [x, y] = corners[i], side = loupe.width, zoom = 3, pen = loupe.getContext("2d");
  const scale = picture.naturalWidth / box.width, span = side / zoom * scale;
  pen.fillStyle = "#000";
  pen.fillRect(0, 0, side, side);
  pen.drawImage(picture, x * picture.naturalWidth - span / 2, y * picture.naturalHeight - span / 2, span, span, 0, 0, side, side);
  pen.strokeStyle = "#f2c14e";
  pen.beginPath();
  pen.moveTo(side / 2, 0); pen.lineTo(side / 2, side); pen.moveTo(0, side / 2); pen.lineTo(side, side / 2);
  pen.stroke();
  loupe.classList.toggle("right", x < 0.5);
  loupe.hidden = false;
}

handles.forEach((handle, i) => {
  let grip = [0, 0];
  handle.addEventListener("pointerdown", (event) => {
    const box = picture.getBoundingClientRect();
    grip = [event.clientX - box.left - corners[i][0] * box.width, event.clientY - box.top - corners[i][1] * box.height];
    handle.setPointerCapture(event.pointerId);
    event.preventDefault();
    handle.focus();
    magnify(i);
  });
  handle.addEventListener("pointermove", (event) => {
    if (!handle.hasPointerCapture(event.pointerId)) return;
    const box = picture.getBoundingClientRect();
    place(i, (event.clientX - box.left - grip[0]) / box.width, (event.clientY - box.top - grip[1]) / box.height);
    magnify(i);
  });
  for (const end of ["pointerup", "pointercancel"]) handle.addEventListener(end, () => { loupe.hidden = true; });
  handle.addEventListener("blur", () => { loupe.hidden = true; });
  handle.addEventListener("keydown", (event) => {
    const step = event.shiftKey ? 10 : 1;
    const by = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    if (!by) return;
    event.preventDefault();
    const box = picture.getBoundingClientRect();
    place(i, corners[i][0] + by[0] / box.width, corners[i][1] + by[1] / box.height);
    magnify(i);
  });
});
byId("near").addEventListener("change", moved);
byId("auto").addEventListener("click", async () => {
  byId("auto").disabled = true;
  try {
    const result = await send("auto");
    if (result.ok) {
      corners = result.corners;
      tableCm = result.table_cm;
      byId("save").disabled = false;
      byId("save").textContent = "保存 Save";
      draw();
    }
  } catch { tell([["没有回应 no answer", "bad"]]); }
  byId("auto").disabled = false;
});
byId("save").addEventListener("click", async () => {
  byId("save").disabled = true;
  try {
    if ((await send("save")).ok) byId("save").textContent = "已保存 Saved";
  } catch { tell([["没有回应 no answer", "bad"]]); byId("save").disabled = false; }
});
window.addEventListener("resize", () => corners.length && draw());

// The next picture is loaded aside, so that the one shown never blinks.
async function refresh() {
  for (;;) {
    try {
      const answer = await fetch("calibrate/picture.jpg", { cache: "no-store" });
      if (answer.status === 200) {
        const url = URL.createObjectURL(await answer.blob()), old = picture.src;
        await new Promise((done) => { picture.onload = picture.onerror = done; picture.src = url; });
        if (old.startsWith("blob:")) URL.revokeObjectURL(old);
        if (corners.length) draw();
        if (!live) return;
      }
    } catch { /* try again */ }
    await new Promise((done) => setTimeout(done, live ? 400 : 1000));
  }
}

async function begin() {
  const start = await (await fetch("calibrate/start")).json();
  ({ corners, grid, live } = start);
  byId("near").value = start.near;
  byId("camera").textContent = start.camera;
  byId("back").hidden = !start.game;
  refresh();
  await new Promise((done) => { if (picture.naturalWidth) done(); else picture.addEventListener("load", done, { once: true }); });
  moved();
}
begin();
