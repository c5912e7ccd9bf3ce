// Money on the overlay: payments fly from card to card, and at the end of a hand the settlement is shown.

import { make, money } from "./dom.js";
import { lang, say, SEATS } from "./words.js";

const SHOWN_MS = 14000;
const MOST_LINES = 7;
const still = matchMedia("(prefers-reduced-motion: reduce)").matches;

export class Settlement {
  /** @param {HTMLElement} panel for the settlement, @param {HTMLElement} cards holds the seats' cards */
  constructor(panel, cards) {
    this.panel = panel;
    this.cards = cards;
    this.before = null; // {hand, lines, over}
    this.hiding = 0;
    this.busy = new Map(); // seat → when its last floater has made room
  }

  follow(state) {
    const lines = state.ledger.map((pay) => JSON.stringify([pay.from, pay.to, pay.amount, pay.kind, pay.event]));
    const now = { hand: state.hand, lines, over: state.phase === "over" };
    const before = this.before;
    this.before = now;
    if (before === null) return; // what happened before this page came is no news
    const same = before.hand === now.hand;
    const old = new Set(same ? before.lines : []);
    const fresh = state.ledger.filter((_, i) => !old.has(lines[i]));
    if (fresh.length) this.pay(fresh);
    if (now.over && !(same && before.over)) this.show(state);
    else if (now.over && !this.panel.hidden && fresh.length) this.fill(state);
    else if (!now.over) this.hide();
  }

  card(seat) { return this.cards.querySelector(`[data-seat="${seat}"]`); }

  pay(payments) {
    const sums = new Map();
    payments.forEach((pay, i) => {
      sums.set(pay.to, (sums.get(pay.to) ?? 0) + pay.amount);
      sums.set(pay.from, (sums.get(pay.from) ?? 0) - pay.amount);
      if (!still) setTimeout(() => this.fly(pay.from, pay.to), 120 * i);
    });
    for (const [seat, sum] of sums) {
      const card = this.card(seat);
      if (!card || !sum) continue;
      const time = performance.now(), start = Math.max(time, this.busy.get(seat) ?? 0);
      this.busy.set(seat, start + 1500);
      const box = card.getBoundingClientRect();
      const node = make("div", "floater", money(sum));
      node.style.left = `${box.x + box.width / 2}px`;
      node.style.top = `${box.y}px`;
      this.cards.parentElement.append(node);
      node.animate([{ opacity: 0, translate: "-50% 0" }, { opacity: 1, translate: "-50% -2.5rem", offset: 0.15 }, { opacity: 1, translate: "-50% -3rem", offset: 0.8 }, { opacity: 0, translate: "-50% -4rem" }],
        { duration: 2800, delay: start - time, easing: "ease-out", fill: "backwards" }).finished.finally(() => node.remove());
    }
  }

  fly(from, to) {
    const start = this.card(from)?.getBoundingClientRect(), end = this.card(to)?.getBoundingClientRect();
    if (!start || !end) return;
    for (let i = 0; i < 5; i++) {
      const coin = make("div", "coin");
      coin.style.left = `${start.x + start.width / 2}px`;
      coin.style.top = `${start.y + start.height / 3}px`;
      this.cards.parentElement.append(coin);
      const dx = end.x + end.width / 2 - start.x - start.width / 2, dy = end.y - start.y;
      coin.animate([{ translate: "0 0", opacity: 0 }, { opacity: 1, offset: 0.1 }, { translate: `${dx / 2}px calc(${dy / 2}px - 7rem)`, opacity: 1, offset: 0.5 }, { translate: `${dx}px ${dy}px`, opacity: 0 }],
        { duration: 1100, delay: 70 * i, easing: "ease-in-out", fill: "backwards" }).finished.finally(() => coin.remove());
    }
  }

  show(state) {
    this.fill(state);
    this.panel.hidden = false;
    clearTimeout(this.hiding);
    this.hiding = setTimeout(() => this.hide(), SHOWN_MS);
    this.panel.animate([{ opacity: 0, scale: 0.9 }, { opacity: 1, scale: 1 }], { duration: still ? 0 : 500, easing: "ease-out" });
    if (still) return;
    [...this.panel.querySelectorAll("tr")].forEach((row, i) =>
      row.animate([{ opacity: 0, translate: "-2rem 0" }, { opacity: 1, translate: "0 0" }], { duration: 400, delay: 300 + 140 * i, fill: "backwards", easing: "ease-out" }));
  }

  fill(state) {
    const name = (seat) => state.seats[seat].name[lang()];
    const ranked = SEATS.slice().sort((a, b) => state.totals[b] - state.totals[a]);
    const rows = ranked.map((seat) => make("tr", "", make("th", "", name(seat)), make("td", "", money(state.totals[seat])),
      make("td", "sum", `${say("total")} `, money(state.session_totals[seat]))));
    const lines = state.ledger.slice(-MOST_LINES).map((pay) => make("li", "", make("span", "", `${name(pay.from)} → ${name(pay.to)}`),
      make("span", "why", pay.why[lang()]), make("b", "", String(pay.amount))));
    this.panel.replaceChildren(make("h1", "", `${say("hand", { n: state.hand })} · ${say("settled")}`),
      make("table", "", make("tbody", "", ...rows)), make("ol", "", ...(lines.length ? lines : [make("li", "", say("noPay"))])));
  }

  hide() {
    clearTimeout(this.hiding);
    this.panel.hidden = true;
  }
}
