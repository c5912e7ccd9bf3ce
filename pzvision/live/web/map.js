// The table as the camera sees it laid flat: every tile where it lies, each one a button.

import { byId, Shown } from "./dom.js";
import { tileName } from "./tiles.js";
import { lang, say, SEATS } from "./words.js";

const SVG = "http://www.w3.org/2000/svg";
const HALF = 45; // cm shown from the middle to each side
const WIDTH = 2.7, HEIGHT = 3.6; // cm of a face
const shown = new Shown();

function svg(tag, attributes, ...children) {
  const node = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  node.append(...children);
  return node;
}

function tileNode(spot, onTile) {
  const known = /^[1-9][msp]$/.test(spot.tile);
  const use = svg("use", { href: `#t${known ? spot.tile : "back"}`, x: -WIDTH / 2, y: -HEIGHT / 2, width: WIDTH, height: HEIGHT });
  const place = `translate(${spot.x} ${-spot.y}) rotate(${-spot.yaw})`;
  if (!known) return svg("g", { transform: place, class: "spot hidden" }, use);
  const node = svg("g", { transform: place, class: `spot ${spot.confidence < 0.6 ? "doubt" : ""}`, tabindex: 0, role: "button", "aria-label": tileName(spot.tile) }, use);
  node.dataset.key = `track-${spot.id}`;
  node.addEventListener("click", () => onTile(spot));
  node.addEventListener("keydown", (event) => {
    if (event.key === "Enter" || event.key === " ") { event.preventDefault(); onTile(spot); }
  });
  return node;
}

/** @param {object} state with `tiles`, @param {(spot: object) => void} onTile */
export function renderMap(state, onTile) {
  const node = byId("map");
  const spots = state.tiles || [];
  if (!shown.changed("map", lang(), spots, state.near_seat, state.turn)) return;
  const focused = node.contains(document.activeElement) ? document.activeElement.dataset.key : null;
  const near = Math.max(0, SEATS.indexOf(state.near_seat));
  const edge = HALF - 2;
  const labels = [[0, edge], [edge, 0], [0, -edge], [-edge, 0]].map(([x, y], i) => {
    const seat = SEATS[(near + i) % 4];
    const text = svg("text", { x, y, class: state.turn === seat ? "turn" : "" });
    text.textContent = say(seat);
    return text;
  });
  node.replaceChildren(...labels, ...spots.map((spot) => tileNode(spot, onTile)));
  node.setAttribute("viewBox", `${-HALF} ${-HALF} ${2 * HALF} ${2 * HALF}`);
  if (focused) node.querySelector(`[data-key="${focused}"]`)?.focus();
}
