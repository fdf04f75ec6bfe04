// The panel beside the scene: signals, events, parameters, what is shown.
import type { RunData, Setting, Signal } from "./data";
import { el } from "./dom";
import { EventList } from "./eventlist";
import { TimePlot } from "./plot";
import type { Options } from "./scene";
import { unitText } from "./text";

export interface Actions {
  fetchSignal: (name: string) => Promise<Float32Array | null>;
  rerun: ((changes: Record<string, number | boolean>) => Promise<string>) | null;
  changed: () => void;
  seek: (time: number) => void;
  follow: (pose: number) => void;
  view: (slot: number, save: boolean) => void;
}

const SWITCHES: [keyof Options, string][] = [
  ["contacts", "contact points"], ["open", "open contacts"], ["forces", "contact forces"], ["flashes", "flashes"],
  ["loads", "forces on bodies"], ["jointForces", "joint forces"], ["joints", "joints"], ["frames", "frames"],
  ["trails", "trails"], ["names", "names"],
];

export class Panel {
  readonly node = el("aside", { id: "panel" });
  readonly plot: TimePlot;
  readonly events: EventList;
  readonly followBox = el("select", { id: "follow", "aria-label": "follow a body" });
  private readonly views = [1, 2, 3, 4].map((slot) => el("button", { type: "button", id: `view-${slot}`, click: (event: Event) => this.actions.view(slot, (event as MouseEvent).shiftKey) }, String(slot)));
  private readonly chips = el("div", { class: "chips" });
  private readonly menu = el("div", { class: "menu", hidden: true });
  private readonly search = el("input", { type: "search", id: "signal", placeholder: "signal by name, such as energy", "aria-label": "signal by name" });
  private readonly boxes = new Map<keyof Options, HTMLInputElement>();
  private readonly eventPart = el("section");
  private readonly eventTitle = el("h2");
  private readonly eventNote = el("div", { class: "note" });
  private readonly settings = el("section", { id: "settings" });

  constructor(private data: RunData, private readonly options: Options, private readonly actions: Actions) {
    this.plot = new TimePlot(el("canvas", { id: "plot" }), data);
    this.plot.onSeek = actions.seek;
    this.events = new EventList(data.head.events);
    this.events.onPick = (event) => actions.seek(event.t);
    this.node.append(this.signalSection(), this.eventSection(), this.settings, this.viewSection());
    this.fillSettings();
    this.fillFollow();
  }

  private signalSection(): HTMLElement {
    this.search.addEventListener("input", () => this.showMenu());
    this.search.addEventListener("focus", () => this.showMenu());
    this.search.addEventListener("blur", () => setTimeout(() => { this.menu.hidden = true; }, 200));
    this.search.addEventListener("keydown", (event) => {
      event.stopPropagation();
      if (event.key === "Enter") { const found = this.matches()[0]; if (found) void this.addSignal(found); }
      if (event.key === "Escape") this.search.blur();
    });
    return el("section", {}, el("h2", {}, "Signals"), this.search, this.menu, this.plot.canvas, this.chips);
  }

  private matches(): Signal[] {
    const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
    return this.data.head.signals.filter((s) => words.every((w) => s.name.toLowerCase().includes(w)) && (s.block >= 0 || this.actions.rerun !== null || this.served));
  }

  served = false;

  private showMenu(): void {
    const found = this.matches();
    this.menu.replaceChildren(...found.slice(0, 80).map((signal) => {
      const item = el("div", {}, el("span", {}, signal.name), el("em", {}, unitText(signal.unit)));
      item.addEventListener("pointerdown", (event) => { event.preventDefault(); void this.addSignal(signal); });
      return item;
    }));
    if (!found.length) this.menu.append(el("div", {}, el("em", {}, "no such signal")));
    this.menu.hidden = false;
  }

  async addSignal(signal: Signal): Promise<void> {
    this.menu.hidden = true;
    this.search.value = "";
    const values = signal.block >= 0 ? this.data.signal(signal.block) : await this.actions.fetchSignal(signal.name);
    if (!values) return;
    this.plot.add(signal.name, signal.unit, values);
    this.showChips();
    this.actions.changed();
  }

  private showChips(): void {
    this.chips.replaceChildren(...this.plot.curves.map((curve) => {
      const mark = el("i");
      mark.style.background = curve.colour;
      const drop = () => { this.plot.remove(curve.name); this.showChips(); this.actions.changed(); };
      const value = el("em", { "data-curve": curve.name });
      return el("span", { class: "chip", title: `${curve.name} [${unitText(curve.unit)}]` }, mark, el("span", {}, curve.name), value,
        el("button", { type: "button", "aria-label": `remove ${curve.name}`, click: drop }, "×"));
    }));
  }

  private eventSection(): HTMLElement {
    const search = el("input", { type: "search", placeholder: "filter, such as impact", "aria-label": "filter events" });
    search.addEventListener("input", () => this.events.filter(search.value));
    search.addEventListener("keydown", (event) => event.stopPropagation());
    this.showEvents();
    this.eventPart.append(this.eventTitle, search, this.events.node, this.eventNote);
    return this.eventPart;
  }

  // how many events there are; another run has another number
  private showEvents(): void {
    const { events, events_left_out: left } = this.data.head;
    this.eventTitle.textContent = `Events (${events.length + left})`;
    this.eventNote.textContent = `${left} later events are not on this page.`;
    this.eventNote.hidden = !left;
    this.eventPart.hidden = !events.length;
  }

  private viewSection(): HTMLElement {
    const checks = el("div", { class: "checks" });
    for (const [key, text] of SWITCHES) {
      const box = el("input", { type: "checkbox", id: `show-${key}` });
      box.checked = this.options[key] as boolean;
      box.addEventListener("change", () => { (this.options[key] as boolean) = box.checked; this.actions.changed(); });
      this.boxes.set(key, box);
      checks.append(el("label", {}, box, text));
    }
    const scale = el("input", { type: "range", min: "-1", max: "1", step: "0.02", value: "0", "aria-label": "length of arrows" });
    scale.addEventListener("input", () => { this.options.arrowScale = 10 ** Number(scale.value); this.actions.changed(); });
    this.followBox.addEventListener("change", () => this.actions.follow(Number(this.followBox.value)));
    return el("section", {}, el("h2", {}, "Show"), checks,
      el("label", { class: "wide" }, "arrows", scale), el("label", { class: "wide" }, "follow", this.followBox),
      el("div", { class: "wide views" }, "views", el("span", { class: "row" }, ...this.views)));
  }

  // which of the four views are there
  showViews(slots: number[]): void {
    this.views.forEach((button, k) => {
      const there = slots.includes(k + 1);
      button.classList.toggle("empty", !there);
      button.title = there ? `saved view ${k + 1} (key ${k + 1}); with shift: save this one in its place` : `save this view as ${k + 1} (shift ${k + 1})`;
      button.setAttribute("aria-label", there ? `saved view ${k + 1}` : `save view ${k + 1}`);
    });
  }

  private fillFollow(): void {
    this.followBox.replaceChildren(el("option", { value: "0" }, "nothing"));
    this.data.head.poses.forEach((name, k) => { if (k) this.followBox.append(el("option", { value: String(k) }, name)); });
  }

  private fillSettings(): void {
    const { settings } = this.data.head;
    this.settings.hidden = !settings.length;
    this.settings.replaceChildren(el("h2", {}, "Parameters"));
    const grid = el("div", { class: "settings" });
    const inputs: [Setting, HTMLInputElement][] = [];
    const live = this.actions.rerun !== null;
    for (const item of settings) {
      const flag = typeof item.value === "boolean";
      const input = el("input", { type: flag ? "checkbox" : "number", step: "any", "data-setting": item.name, "aria-label": item.name, disabled: !live });
      if (flag) input.checked = item.value as boolean; else input.value = String(item.value);
      input.addEventListener("keydown", (event) => { event.stopPropagation(); if (event.key === "Enter") void run(); });
      inputs.push([item, input]);
      grid.append(el("span", { title: item.text }, item.name), input, el("em", {}, item.unit === "1" ? "" : unitText(item.unit)));
    }
    const note = el("div", { class: "note", id: "rerun-note" }, live ? "" : "Open the run with sol.view() or cornerlaw view to change them.");
    const button = el("button", { type: "button", id: "rerun", class: "main", click: () => void run() }, "Run again");
    const run = async () => {
      if (!this.actions.rerun || button.disabled) return;
      const changes: Record<string, number | boolean> = {};
      for (const [item, input] of inputs) {
        const value = typeof item.value === "boolean" ? input.checked : Number(input.value);
        if (typeof value === "number" && (!Number.isFinite(value) || input.value.trim() === "")) {
          note.textContent = `${item.name} must be a number.`;
          note.className = "note bad";
          return;
        }
        if (value !== item.value) changes[item.name] = value;
      }
      button.disabled = true;
      note.className = "note";
      note.textContent = "running …";
      const error = await this.actions.rerun(changes);
      button.disabled = false;
      const last = document.getElementById("rerun-note");
      if (last) { last.textContent = error || "done"; last.className = error ? "note bad" : "note"; }
    };
    this.settings.append(grid);
    if (live) { const row = el("div", { class: "row" }, button); row.style.marginTop = "8px"; this.settings.append(row); }
    this.settings.append(note);
  }

  toggle(key: keyof Options): void {
    const box = this.boxes.get(key)!;
    box.checked = !box.checked;
    (this.options[key] as boolean) = box.checked;
    this.actions.changed();
  }

  async use(data: RunData): Promise<void> {
    const names = this.plot.curves.map((c) => c.name);
    this.data = data;
    this.plot.curves = [];
    this.plot.use(data);
    this.events.use(data.head.events);
    this.showEvents();
    this.fillSettings();
    this.fillFollow();
    for (const name of names) {
      const signal = data.head.signals.find((s) => s.name === name);
      if (signal) await this.addSignal(signal);
    }
    this.showChips();
  }

  draw(time: number): void {
    this.plot.draw(time);
    this.events.mark(time);
    for (const curve of this.plot.curves) {
      const node = this.chips.querySelector(`em[data-curve="${CSS.escape(curve.name)}"]`);
      const value = this.plot.value(curve, time);
      if (node) node.textContent = Number.isFinite(value) ? ` ${value.toPrecision(4)}` : "";
    }
  }
}
