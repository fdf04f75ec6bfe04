// The keys, as in MuJoCo's viewer where both have the same thing.
import { el } from "./dom";

export const KEYS: [string, string][] = [
  ["Space", "play or pause"], ["← →", "one frame back, on"], ["Shift ← →", "ten frames"],
  ["Backspace", "back to the start"], ["End", "to the end"], ["- =", "slower, faster"], ["L", "loop"],
  [", .", "event before, next event"], ["A, Ctrl A", "show everything"], ["[ ]", "follow body before, next body"],
  ["Esc", "free camera"], ["1 … 4", "saved view"], ["Shift 1 … 4", "save the view"],
  ["C", "contact points"], ["O", "open contacts"], ["F", "contact forces and impulses"], ["G", "forces on bodies"],
  ["K", "joint forces"], ["J", "joints"], ["E, F6", "frames"], ["T", "trails"], ["N, F7", "names"], ["I", "flashes at impacts"],
  ["D", "light or dark"], ["Tab", "side panel"], ["F1, H", "this help"],
];

export function helpBox(close: () => void): HTMLElement {
  const keys = el("div", { class: "keys" });
  for (const [key, text] of KEYS) keys.append(el("p", {}, el("kbd", {}, key), el("span", {}, text)));
  const box = el("div", {}, el("h2", {}, "Keys and mouse"), keys,
    el("p", { class: "note" }, "Left button turns (moves in the plane), right button moves, wheel zooms, double click follows a body."));
  return el("div", { id: "help", hidden: true, role: "dialog", "aria-label": "Help", click: close }, box);
}
