// Follows a game: reads the state whenever the stream says something happened, and every now and then.

import { pause } from "./dom.js";

/** Seconds without an answer after which what is shown counts as old. */
const PATIENCE_MS = 2000;

export class Feed {
  /**
   * @param {string} state where the state is, @param {string} events where the stream is
   * @param {{onState: Function, onRecord?: Function, onLink?: Function}} told
   */
  constructor(state, events, told, everyMs = 1500) {
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
    for (;;) {
      await pause(this.everyMs);
      await this.refresh();
    }
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
    do {
      this.again = false;
      const state = await this.read();
      this.link(state !== null);
      if (state !== null) {
        this.state = state;
        this.told.onState(state);
      }
    } while (this.again && this.connected);
    this.refreshing = false;
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
    source.onopen = () => this.refresh();
    source.onmessage = (message) => {
      this.told.onRecord?.(JSON.parse(message.data));
      this.refresh();
    };
    source.onerror = () => {
      this.refresh(); // says whether the program is gone
      // The browser reconnects with Last-Event-ID; after an error answer it gives up, so begin anew then.
      if (source.readyState === EventSource.CLOSED) setTimeout(() => this.listen(), 1000);
    };
  }
}
