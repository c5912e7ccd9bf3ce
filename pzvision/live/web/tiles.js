// Tiles: names, notation, pictures from one sprite.

import { make } from "./dom.js";
import { lang } from "./words.js";

export const KINDS = ["m", "s", "p"].flatMap((suit) => [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => `${n}${suit}`));
const SVG = "http://www.w3.org/2000/svg";

/** "123m5p" → ["1m", "2m", "3m", "5p"] */
export function tilesOf(text) {
  const out = [];
  for (const [, digits, suit] of (text || "").matchAll(/([1-9]+)([msp])/g)) for (const d of digits) out.push(d + suit);
  return out;
}

/** The reverse, sorted: ["5p", "1m"] → "1m5p" */
export function notation(tiles) {
  return ["m", "s", "p"].map((suit) => {
    const digits = tiles.filter((t) => t[1] === suit).map((t) => t[0]).sort().join("");
    return digits ? digits + suit : "";
  }).join("");
}

export function tileName(tile) {
  const i = "msp".indexOf(tile[1]), n = +tile[0];
  return lang() === "zh" ? "一二三四五六七八九"[n - 1] + "万条筒"[i] : `${n} of ${["characters", "bamboos", "dots"][i]}`;
}

export function tileImage(tile, className = "") {
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

/** A meld as three or four tiles; a concealed kong shows two backs. */
export function meldImage(meld, className = "small") {
  const group = make("span", "meld");
  const count = meld.kind === "peng" ? 3 : 4;
  for (let i = 0; i < count; i++) {
    group.append(tileImage(meld.kind === "an_gang" && (i === 0 || i === 3) ? "back" : meld.tile, className));
  }
  return group;
}

export async function loadTiles() {
  const text = await (await fetch("tiles/all.svg")).text();
  const sprite = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  sprite.setAttribute("class", "sprite");
  document.body.prepend(document.adoptNode(sprite));
}
