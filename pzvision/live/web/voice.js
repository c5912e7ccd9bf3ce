// Speaks announcements. At most two wait, the newest win; each kind can be switched off.

import { button, make } from "./dom.js";
import { lang, remember, remembered, say } from "./words.js";

export const SPOKEN = ["win", "ready", "kong_legal", "declare", "violation", "settlement", "dealer", "uncertain"];
const SILENT_AT_FIRST = ["settlement"];
const MOST_WAITING = 2;

export class Voice {
  constructor(onChange) {
    this.onChange = onChange;
    this.on = false;
    this.waiting = [];
    this.speaking = false;
    this.from = Infinity;
    const kept = remembered("voice-kinds");
    this.kinds = new Set(kept === null ? SPOKEN.filter((k) => !SILENT_AT_FIRST.includes(k)) : kept.split(",").filter((k) => SPOKEN.includes(k)));
  }

  get possible() { return Boolean(window.speechSynthesis && window.SpeechSynthesisUtterance); }

  /** Switch on (what comes after record `seq` is spoken) or off. */
  turn(on, seq) {
    this.on = on && this.possible;
    this.from = seq;
    this.waiting = [];
    if (!this.on && this.possible) speechSynthesis.cancel();
    this.onChange();
  }

  setKind(kind, wanted) {
    if (wanted) this.kinds.add(kind); else this.kinds.delete(kind);
    remember("voice-kinds", [...this.kinds].join(","));
  }

  /** A record of the stream. */
  hear(record) {
    if (!this.on || record.type !== "announce" || record.seq <= this.from || !this.kinds.has(record.kind)) return;
    this.from = record.seq;
    this.say(record[lang()]);
  }

  say(text) {
    this.waiting.push(text);
    if (this.waiting.length > MOST_WAITING) this.waiting.shift();
    this.next();
  }

  next() {
    if (this.speaking || !this.waiting.length) return;
    const words = new SpeechSynthesisUtterance(this.waiting.shift());
    words.lang = lang() === "zh" ? "zh-CN" : "en-US";
    const voice = speechSynthesis.getVoices().find((v) => v.lang.replace("_", "-").startsWith(words.lang));
    if (voice) words.voice = voice;
    this.speaking = true;
    const over = () => {
      clearTimeout(watch);
      if (!this.speaking) return;
      this.speaking = false;
      this.next();
    };
    // Some browsers never say that they have finished.
    const watch = setTimeout(() => { speechSynthesis.cancel(); over(); }, 20000);
    words.onend = over;
    words.onerror = over;
    speechSynthesis.speak(words);
  }

  /** The switches, for a dialog. */
  controls(seq) {
    if (!this.possible) return make("p", "hint", say("noVoice"));
    const box = make("div", "switchlist");
    const line = (label, checked, set) => {
      const input = make("input");
      input.type = "checkbox";
      input.checked = checked;
      input.addEventListener("change", () => set(input.checked));
      box.append(make("label", "check", input, label));
    };
    line(say("voiceOn"), this.on, (on) => this.turn(on, seq()));
    box.append(make("h3", "", say("voiceKinds")));
    for (const kind of SPOKEN) line(say(`k_${kind}`), this.kinds.has(kind), (on) => this.setKind(kind, on));
    box.append(button(say("sayTest"), () => this.say(say("testWords"))));
    return box;
  }
}
