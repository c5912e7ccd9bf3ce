// Follows a game: reads the state whenever the stream says something happened, and every now and then.

import { pause } from "./dom.js";

/** Seconds without an answer after which what is shown counts as old. */
const PATIENCE_MS = 2000;

export class Feed {
  /**
   * @param {string} state where the state is, @param {string} events where the stream is
   * @param {{onState: Function, onRecord?: Function, onLink?: Function}} told
   * @param {() => boolean} sleeps whether it may stop while nobody sees the page: a browser keeps few
   *   connections to one server, and every page that follows holds one
   */
  constructor(state, events, told, everyMs = 1500, sleeps = () => false) {
    this.sleeps = sleeps;
    this.source = null;
    this.addresses = { state, events };
    this.told = told;
    this.everyMs = everyMs;
    this.state = null;
    this.connected = false;
    this.answeredAt = -Infinity;
    this.refreshing = false;
    this.again = false;
  }

  async start() {
    await this.refresh();
    this.listen();
    document.addEventListener("visibilitychange", () => this.wake());
    for (;;) {
      await pause(this.everyMs);
      if (!this.asleep) await this.refresh();
    }
  }

  get asleep() { return document.hidden && this.sleeps(); }

  /** Stop following when nobody sees the page; begin again when somebody does. */
  wake() {
    if (this.asleep) { this.source?.close(); this.source = null; }
    else if (this.source === null) { this.refresh(); this.listen(); }
  }

  /** Milliseconds since the program last answered. */
  get silence() { return performance.now() - this.answeredAt; }

  link(connected) {
    if (connected) this.answeredAt = performance.now();
    if (connected !== this.connected) { this.connected = connected; this.told.onLink?.(connected); }
  }

  async refresh() {
    if (this.refreshing) { this.again = true; return; }
    this.refreshing = true;
    try {
      do {
        this.again = false;
        const state = await this.read();
        this.link(state !== null);
        if (state !== null) {
          this.state = state;
          this.told.onState(state);
        }
      } while (this.again && this.connected);
    } finally { this.refreshing = false; }
  }

  /** The state, or null when the program does not answer. */
  async read() {
    try {
      const answer = await fetch(this.addresses.state, { cache: "no-store", signal: AbortSignal.timeout(PATIENCE_MS) });
      return answer.ok ? await answer.json() : null;
    } catch { return null; }
  }

  listen() {
    const source = new EventSource(`${this.addresses.events}?last_event_id=${this.state ? this.state.seq : 0}`);
    this.source = source;
    source.onopen = () => this.refresh();
    source.onmessage = (message) => {
      this.told.onRecord?.(JSON.parse(message.data));
      this.refresh();
    };
    source.onerror = () => {
      this.refresh(); // says whether the program is gone
      // The browser reconnects with Last-Event-ID; after an error answer it gives up, so begin anew then.
      if (source.readyState === EventSource.CLOSED) setTimeout(() => { if (this.source === source) this.listen(); }, 1000);
    };
  }
}
