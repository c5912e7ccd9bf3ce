// The window with the overlay's address for a streaming program.

import { Choice, openDialog, section } from "./dialog.js";
import { button, make } from "./dom.js";
import { lang, say, SEATS } from "./words.js";
import { toast } from "./api.js";

const THEMES = ["felt", "paper", "plain"];
const PARTS = ["info", "seats", "melds", "hands", "waits", "money", "news", "settle"];
const NOT_AT_FIRST = ["hands"];

function number(value, min, max, step = 1) {
  const input = make("input");
  Object.assign(input, { type: "number", value, min, max, step, inputMode: "decimal" });
  return input;
}

export function overlaySettings(state) {
  const width = number(1920, 320, 7680), height = number(1080, 180, 4320), scale = number(1, 0.3, 4, 0.1);
  const address = make("input", "address");
  address.readOnly = true;
  address.setAttribute("aria-label", say("address"));
  const save = make("a", "button", say("saveLoader"));
  const look = make("a", "button", say("openOverlay"));
  look.target = "_blank";
  look.rel = "noopener";
  save.download = "pzvision-overlay.html";
  const boxes = (names, label) => names.map((name) => {
    const input = make("input");
    Object.assign(input, { type: "checkbox", checked: !NOT_AT_FIRST.includes(name), value: name });
    input.addEventListener("change", update);
    return make("label", "check", input, label(name));
  });
  const seats = boxes(SEATS, (seat) => state?.seats ? state.seats[seat].name[lang()] : say(seat));
  const parts = boxes(PARTS, (part) => say(`p_${part}`));
  const chosen = (labels) => labels.map((label) => label.firstChild).filter((input) => input.checked).map((input) => input.value);
  const theme = new Choice(THEMES.map((name) => [name, say(name)]), "felt", update);
  function update() {
    const query = new URLSearchParams({ width: width.value, height: height.value, theme: theme.value, lang: lang() });
    if (scale.value !== "1") query.set("scale", scale.value);
    if (chosen(seats).length < SEATS.length) query.set("seats", chosen(seats).join(""));
    if (chosen(parts).join() !== PARTS.filter((part) => !NOT_AT_FIRST.includes(part)).join()) query.set("show", chosen(parts).join(","));
    address.value = `${new URL("overlay", document.baseURI).href}?${query}`;
    look.href = address.value;
    save.href = `overlay/loader.html?${query}`;
  }
  for (const input of [width, height, scale]) input.addEventListener("input", update);
  update();
  const copy = button(say("copy"), async () => {
    address.select();
    try { await navigator.clipboard.writeText(address.value); toast(say("copied")); } catch { /* the address stays selected */ }
  });
  const field = (label, input) => make("label", "", make("span", "", say(label)), input);
  openDialog(say("overlay"), section(say("theme"), theme.node),
    make("div", "fields", field("width", width), field("height", height), field("scale", scale)),
    section(say("seats"), make("div", "checks", ...seats)), section(say("show"), make("div", "checks", ...parts)),
    section(say("address"), make("div", "copyrow", address, copy)), make("div", "actions", save, look));
}
