// The live annotated picture: fetched one after the other, never two at once, not while nobody looks.

import { byId, pause } from "./dom.js";

let camera = "";
let number = 0;

/** Show another camera's picture; "": the table's. */
export function showCamera(name) { camera = name; number = 0; }

export async function watchPicture() {
  const image = byId("frame");
  let url = null;
  for (;;) {
    if (document.hidden) { await pause(500); continue; }
    try {
      const wanted = camera;
      const which = wanted ? `&camera=${encodeURIComponent(wanted)}` : "";
      const answer = await fetch(`frame.jpg?after=${number}${which}`, { cache: "no-store" });
      if (wanted !== camera) continue;
      const next = +answer.headers.get("X-Frame");
      if (answer.status !== 200 || next === number) { await pause(400); continue; }
      const fresh = URL.createObjectURL(await answer.blob());
      image.src = fresh;
      await image.decode().catch(() => {});
      if (url) URL.revokeObjectURL(url);
      url = fresh;
      number = next;
      byId("no-frame").hidden = true;
      await pause(100); // leave the processor to the detector
    } catch { number = 0; await pause(1000); }
  }
}
