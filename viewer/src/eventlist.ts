// The list of events: only the lines in sight exist, so that thousands of events stay quick.
import type { RunEvent } from "./data";
import { el } from "./dom";
import { timeDigits } from "./text";

const HEIGHT = 22;

export class EventList {
  readonly node = el("div", { class: "events", id: "events", tabindex: "0" });
  onPick: (event: RunEvent) => void = () => {};
  private shown: RunEvent[] = [];
  private digits: number[] = []; // decimals of the times shown
  private inner = el("div");
  private now = -1;

  constructor(private events: RunEvent[]) {
    this.node.append(this.inner);
    this.node.addEventListener("scroll", () => this.draw());
    this.filter("");
  }

  use(events: RunEvent[]): void { this.events = events; this.filter(""); }

  filter(text: string): void {
    const wanted = text.toLowerCase();
    this.shown = this.events.filter((e) => `${e.name} ${e.kind}`.toLowerCase().includes(wanted));
    this.digits = timeDigits(this.shown.map((e) => e.t));
    this.inner.style.height = `${this.shown.length * HEIGHT}px`;
    this.now = -1;
    this.draw();
  }

  // mark the last event before a time
  mark(time: number): void {
    let low = 0, high = this.shown.length;
    while (low < high) { const k = (low + high) >> 1; if (this.shown[k].t <= time) low = k + 1; else high = k; }
    if (low - 1 === this.now) return;
    this.now = low - 1;
    const top = this.now * HEIGHT;
    if (!this.node.matches(":hover") && this.now >= 0 && (top < this.node.scrollTop || top > this.node.scrollTop + this.node.clientHeight - HEIGHT))
      this.node.scrollTop = top - this.node.clientHeight / 2;
    this.draw();
  }

  private draw(): void {
    const first = Math.max(0, Math.floor(this.node.scrollTop / HEIGHT) - 4);
    const count = Math.ceil((this.node.clientHeight || 190) / HEIGHT) + 8;
    this.inner.replaceChildren(...this.shown.slice(first, first + count).map((event, i) => {
      const k = first + i;
      const item = el("div", { class: k === this.now ? "item now" : "item", title: event.text ?? "", click: () => this.onPick(event) },
        el("em", {}, `${event.t.toFixed(this.digits[k])} s`), el("span", {}, event.name), el("em", {}, event.kind));
      item.style.top = `${k * HEIGHT}px`;
      return item;
    }));
  }
}
