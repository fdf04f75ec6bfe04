// A page that shows a run: the scene, the clock, the panel.
import * as THREE from "three";
import { Cameraman } from "./camera";
import { decode, fromBase64, type RunData } from "./data";
import { el, icon, iconButton } from "./dom";
import { helpBox } from "./help";
import { drawNames, drawPlane, drawTriad, startAbove } from "./overlay";
import { Plan } from "./plan";
import { Panel } from "./panel";
import { nextSpeed, Player, startSpeed } from "./player";
import { Quality } from "./quality";
import { SceneView, type Options } from "./scene";
import { clockDigits, methodText, shortNumber } from "./text";
import { look, type Look } from "./theme";

const FLASH = 0.25; // seconds a flash is seen
const KEPT = 120; // pictures whose times are kept

class Page {
  private readonly app = document.getElementById("app")!;
  private readonly below = el("canvas", { "aria-hidden": "true" });
  private readonly canvas = el("canvas", { id: "scene" });
  private readonly above = el("canvas", { class: "above", "aria-hidden": "true", hidden: true });
  private readonly leftEdge = el("canvas", { class: "above left", "aria-hidden": "true" });
  private readonly lowerEdge = el("canvas", { class: "above lower", "aria-hidden": "true" });
  private readonly corner = el("canvas", { class: "above corner", "aria-hidden": "true" });
  private readonly stage = el("main", { id: "stage", tabindex: "0" });
  private readonly clock = el("b", { id: "time" });
  private readonly factor = el("div", { id: "factor" });
  private readonly titleBox = el("div", { id: "title" });
  private readonly legend = el("div", { id: "legend" });
  private readonly message = el("div", { id: "message" });
  private readonly scrub = el("input", { type: "range", id: "scrub", min: "0", max: "1", step: "any", "aria-label": "time" });
  private readonly ticks = el("canvas");
  private readonly playButton = iconButton("play", "play or pause (space)", () => this.player.toggle(), "main");
  private readonly loopButton = iconButton("loop", "loop (L)", () => this.setLoop(!this.player.loop));
  private readonly speedBox = el("select", { id: "speed", "aria-label": "speed", title: "speed" });
  private readonly help = helpBox(() => { this.help.hidden = true; });
  private readonly renderer: THREE.WebGLRenderer;
  private readonly options: Options;
  private readonly player: Player;
  private readonly panel: Panel;
  private readonly cameraman: Cameraman;
  private readonly quality = new Quality();
  private view: SceneView;
  private plan: Plan | null;
  private look: Look;
  private dirty = true;
  private width = 1;
  private height = 1;
  private pictures = 0;
  private readonly drawn = new Float64Array(KEPT); // when the last ones were
  private readonly spent = new Float64Array(KEPT); // what their scripts took
  private told = 0;
  private readonly around = new Float64Array(35); // what grid and axes were drawn for

  constructor(private data: RunData, private readonly served: boolean, private readonly hash: URLSearchParams) {
    const flat = data.head.dim === 2, shapes = data.head.bodies.length;
    const dark = hash.get("theme") ? hash.get("theme") === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    this.look = look(dark);
    this.options = {
      contacts: true, open: false, forces: true, loads: false, jointForces: false, flashes: true, joints: flat,
      frames: false, trails: false, names: false, arrowScale: 1,
    };
    this.renderer = new THREE.WebGLRenderer({ canvas: this.canvas, antialias: shapes < 400, alpha: flat, powerPreference: "high-performance" });
    this.view = new SceneView(data, this.look);
    this.plan = data.head.plan ? new Plan(data) : null;
    this.player = new Player(data.t[0], data.t[data.count - 1]);
    this.player.speed = startSpeed(this.player.end - this.player.start);
    this.player.onChange = () => { this.dirty = true; this.showState(); };
    this.panel = new Panel(data, this.options, {
      fetchSignal: (name) => this.fetchSignal(name),
      rerun: served && data.head.settings.length ? (changes) => this.rerun(changes) : null,
      changed: () => { this.dirty = true; },
      seek: (time) => this.player.seek(time),
      follow: (pose) => this.follow(pose),
      view: (slot, save) => this.useView(slot, save || !this.cameraman.slots().includes(slot)),
    });
    this.panel.served = served;
    this.cameraman = new Cameraman(this.view, this.canvas, flat);
    this.panel.showViews(this.cameraman.slots());
    this.cameraman.controls.addEventListener("change", () => { this.dirty = true; });
    this.layOut();
    this.setTheme(dark);
    this.resize();
    this.seekAndMove(this.player.start);
    this.fitCamera();
    this.followBoxFollows();
    this.listen();
    const first = data.head.signals.find((s) => s.name === "energy.total") ?? data.head.signals[0];
    if (first && first.block >= 0) void this.panel.addSignal(first);
    this.fromHash();
    requestAnimationFrame((now) => this.loop(now));
  }

  private layOut(): void {
    const { head } = this.data;
    this.stage.append(this.below, this.canvas, this.corner, this.leftEdge, this.lowerEdge, this.above, this.titleBox, el("div", { id: "clock" }, this.clock, this.factor),
      this.legend, this.message, this.help);
    const scrub = el("div", { class: "scrub" }, this.ticks, this.scrub);
    const bar = el("div", { id: "bar" },
      iconButton("start", "to the start (backspace)", () => this.player.seek(this.player.start)),
      iconButton("back", "one frame back (←)", () => this.step(-1)), this.playButton,
      iconButton("forward", "one frame on (→)", () => this.step(1)), scrub, this.speedBox, this.loopButton,
      iconButton("fit", "show everything (A)", () => { this.fit(); }),
      iconButton("theme", "light or dark (D)", () => this.setTheme(!this.look.dark)),
      iconButton("panel", "side panel (tab)", () => this.togglePanel()),
      el("button", { type: "button", title: "help (F1 or H)", "aria-label": "help", click: () => { this.help.hidden = !this.help.hidden; } }, "?"));
    this.app.append(this.stage, this.panel.node, bar);
    this.scrub.addEventListener("input", () => this.player.seek(Number(this.scrub.value)));
    this.speedBox.addEventListener("change", () => { this.player.speed = Number(this.speedBox.value); this.speedBox.blur(); });
    this.setLoop(true);
    this.showSpeeds();
    this.showTitle();
    if (window.innerWidth < 720) this.app.classList.add("narrow");
    this.message.hidden = !head.empty;
    if (head.empty) this.message.textContent = "This run has coordinates but no bodies to draw; its signals are in the panel.";
  }

  private showTitle(): void {
    const { head } = this.data;
    document.title = `${head.title} – cornerlaw`;
    const good = head.status === "done" || head.status === "stopped";
    this.titleBox.replaceChildren(el("b", {}, head.title), el("div", { title: head.method }, methodText(head.method)));
    if (!good) this.titleBox.append(el("div", { class: "bad" }, head.status));
    this.scrub.min = String(this.player.start);
    this.scrub.max = String(this.player.end);
  }

  private showSpeeds(): void {
    const speeds = new Set([this.player.speed]);
    let s = this.player.speed;
    for (let k = 0; k < 7; k++) speeds.add((s = nextSpeed(s, 1)));
    s = this.player.speed;
    for (let k = 0; k < 7; k++) speeds.add((s = nextSpeed(s, -1)));
    const sorted = [...speeds].sort((a, b) => a - b);
    this.speedBox.replaceChildren(...sorted.map((v) => el("option", { value: String(v) }, `× ${v}`)));
    this.speedBox.value = String(this.player.speed);
  }

  private showState(): void {
    this.playButton.replaceChildren(icon(this.player.playing ? "pause" : "play"));
    this.playButton.setAttribute("aria-pressed", String(this.player.playing));
  }

  private setLoop(on: boolean): void {
    this.player.loop = on;
    this.loopButton.setAttribute("aria-pressed", String(on));
  }

  private setSpeed(direction: number): void {
    this.player.speed = nextSpeed(this.player.speed, direction);
    this.showSpeeds();
  }

  setTheme(dark: boolean): void {
    document.documentElement.dataset.theme = dark ? "dark" : "light";
    this.look = look(dark);
    // in the plane the grid shines through
    if (this.data.head.dim === 2) this.renderer.setClearColor(0, 0);
    else this.renderer.setClearColor(this.look.back, 1);
    this.view.paint(this.look);
    this.panel.plot.paint(this.look);
    const names = ["open", "closed", "slip", "stick"];
    this.legend.hidden = !this.data.head.contacts.length;
    this.legend.replaceChildren(...names.map((name, k) => {
      const dot = el("i");
      dot.style.background = `#${this.look.states[k].toString(16).padStart(6, "0")}`;
      return el("span", {}, dot, name);
    }));
    this.drawTicks();
    this.dirty = true;
  }

  private togglePanel(): void { this.app.classList.toggle("narrow"); this.resize(); }

  private fitCamera(): void {
    const gap = 9; // the clock, whose lines come and go, ends a little below the title
    this.cameraman.head = gap + this.titleBox.offsetTop + this.titleBox.offsetHeight;
    this.cameraman.fit();
  }

  private fit(): void { this.fitCamera(); this.followBoxFollows(); this.dirty = true; }

  follow(pose: number): void {
    this.cameraman.setFollow(pose);
    if (pose) this.cameraman.centreOn(pose);
    this.followBoxFollows();
    this.dirty = true;
  }

  private followBoxFollows(): void {
    this.panel.followBox.value = String(this.cameraman.follow);
    this.view.followed(this.cameraman.follow);
  }

  private step(count: number): void {
    this.player.pause();
    const frame = this.data.frameAt(this.player.time), { t } = this.data;
    let next = Math.min(Math.max(frame + count, 0), this.data.count - 1);
    // both limits of a jump have one time: go on to the next one
    if (count < 0 && t[next] === t[frame]) next = Math.max(0, next - 1);
    this.player.seek(t[next]);
  }

  private stepEvent(direction: number): void {
    const { events } = this.data.head, now = this.player.time, little = 1e-9 * (this.player.end - this.player.start);
    const found = direction > 0 ? events.find((e) => e.t > now + little) : [...events].reverse().find((e) => e.t < now - little);
    if (found) { this.player.pause(); this.player.seek(found.t); }
  }

  private listen(): void {
    new ResizeObserver(() => this.resize()).observe(this.stage);
    window.addEventListener("keydown", (event) => this.onKey(event));
    this.canvas.addEventListener("dblclick", (event) => this.pick(event));
  }

  private onKey(event: KeyboardEvent): void {
    if ((event.target as HTMLElement).matches?.("input:not([type=range]):not([type=checkbox])")) return;
    if (event.ctrlKey && event.key.toLowerCase() === "a") { event.preventDefault(); this.fit(); return; }
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const { player } = this, n = this.data.head.poses.length;
    const cycle = (d: number) => this.follow(n > 1 ? (this.cameraman.follow + d + n) % n : 0);
    const keys: Record<string, () => void> = {
      " ": () => player.toggle(), ArrowRight: () => this.step(event.shiftKey ? 10 : 1), ArrowLeft: () => this.step(event.shiftKey ? -10 : -1),
      Backspace: () => player.seek(player.start), Home: () => player.seek(player.start), End: () => player.seek(player.end),
      "-": () => this.setSpeed(-1), "=": () => this.setSpeed(1), "+": () => this.setSpeed(1), l: () => this.setLoop(!player.loop),
      ",": () => this.stepEvent(-1), ".": () => this.stepEvent(1), a: () => this.fit(), "[": () => cycle(-1), "]": () => cycle(1),
      Escape: () => { if (!this.help.hidden) this.help.hidden = true; else this.follow(0); },
      c: () => this.panel.toggle("contacts"), o: () => this.panel.toggle("open"), f: () => this.panel.toggle("forces"),
      g: () => this.panel.toggle("loads"), k: () => this.panel.toggle("jointForces"), j: () => this.panel.toggle("joints"),
      e: () => this.panel.toggle("frames"), t: () => this.panel.toggle("trails"), n: () => this.panel.toggle("names"),
      F6: () => this.panel.toggle("frames"), F7: () => this.panel.toggle("names"), i: () => this.panel.toggle("flashes"), d: () => this.setTheme(!this.look.dark), Tab: () => this.togglePanel(),
      F1: () => { this.help.hidden = !this.help.hidden; }, h: () => { this.help.hidden = !this.help.hidden; }, "?": () => { this.help.hidden = !this.help.hidden; },
    };
    const digit = /^Digit([1-4])$/.exec(event.code);
    if (digit) {
      this.useView(Number(digit[1]), event.shiftKey);
    } else {
      const action = keys[event.key.length === 1 ? event.key.toLowerCase() : event.key];
      if (!action) return;
      action();
    }
    event.preventDefault();
  }

  // go to a saved view, or save it: on request, or where there is none yet and a button asks
  private useView(slot: number, save: boolean): void {
    if (save) this.cameraman.save(slot);
    else if (this.cameraman.recall(slot)) this.followBoxFollows();
    this.panel.showViews(this.cameraman.slots());
    this.dirty = true;
  }

  // follow the body whose middle is nearest to the pointer
  private pick(event: MouseEvent): void {
    const box = this.canvas.getBoundingClientRect(), p = new THREE.Vector3();
    let best = 0, least = 60;
    for (let k = 1; k < this.data.head.poses.length; k++) {
      p.setFromMatrixPosition(this.view.poseMatrix(k)).project(this.cameraman.camera);
      const d = Math.hypot(((p.x + 1) / 2) * box.width - (event.clientX - box.left), ((1 - p.y) / 2) * box.height - (event.clientY - box.top));
      if (d < least) { least = d; best = k; }
    }
    if (best) this.follow(best);
  }

  private resize(): void {
    const width = Math.max(1, this.stage.clientWidth), height = Math.max(1, this.stage.clientHeight);
    this.width = width;
    this.height = height;
    const many = this.data.head.bodies.length > 400;
    this.renderer.setPixelRatio((many ? 1 : Math.min(2, window.devicePixelRatio || 1)) * this.quality.scale);
    this.renderer.setSize(width, height, false);
    this.cameraman.resize(width, height);
    this.view.resize(width, height, this.renderer.getPixelRatio());
    this.drawTicks();
    this.dirty = true;
  }

  // events as marks on the bar of time
  private drawTicks(): void {
    const w = this.ticks.clientWidth, h = this.ticks.clientHeight;
    if (!w) return;
    this.ticks.width = w;
    this.ticks.height = h;
    const ctx = this.ticks.getContext("2d")!, span = this.player.end - this.player.start || 1;
    ctx.fillStyle = this.look.quiet;
    ctx.globalAlpha = 0.5;
    for (const event of this.data.head.events) {
      if (event.kind !== "impact" && this.data.head.events.length > 400) continue;
      ctx.fillRect(8 + ((event.t - this.player.start) / span) * (w - 16), event.kind === "impact" ? 0 : h - 5, 1, event.kind === "impact" ? 7 : 5);
    }
  }

  private async fetchSignal(name: string): Promise<Float32Array | null> {
    if (!this.served) return null;
    const answer = await fetch(`signal?name=${encodeURIComponent(name)}`);
    if (!answer.ok) return null;
    return new Float32Array(await answer.arrayBuffer());
  }

  private async rerun(changes: Record<string, number | boolean>): Promise<string> {
    try {
      const answer = await fetch("rerun", { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify({ changes }) });
      if (!answer.ok) return ((await answer.json()) as { error: string }).error;
      await this.use(await decode(new Uint8Array(await answer.arrayBuffer())));
      return "";
    } catch (error) {
      return `The run did not come back: ${String(error)}`;
    }
  }

  private async use(data: RunData): Promise<void> {
    const same = data.head.poses.length === this.data.head.poses.length && data.head.dim === this.data.head.dim;
    this.view.dispose();
    this.data = data;
    this.view = new SceneView(data, this.look);
    this.plan = data.head.plan ? new Plan(data) : null;
    this.view.resize(this.width, this.height, this.renderer.getPixelRatio());
    this.player.reset(data.t[0], data.t[data.count - 1]);
    this.cameraman.use(this.view);
    this.showTitle();
    await this.panel.use(data);
    this.followBoxFollows();
    this.seekAndMove(this.player.time);
    if (!same) this.fit();
    this.drawTicks();
    this.dirty = true;
  }

  private seekAndMove(time: number): void {
    this.player.seek(time);
    this.view.update(time, FLASH * this.player.speed, this.options, this.cameraman.pixel, this.cameraman.camera);
  }

  draw(): void {
    if (!this.player.playing && this.quality.rest()) this.resize();
    const { camera } = this.cameraman, { time } = this.player;
    this.view.update(time, FLASH * this.player.speed, this.options, this.cameraman.pixel, camera);
    this.cameraman.update();
    this.renderer.render(this.view.scene, camera);
    this.drawAround(camera);
    // texts and curves need no more than some fifteen pictures a second
    const now = performance.now();
    if (this.player.playing && now - this.told < 65) return;
    this.told = now;
    this.clock.textContent = `${time.toFixed(clockDigits(this.player.end - this.player.start))} s`;
    const { head } = this.data, factor = this.player.factor;
    // equal runs make equal pictures, however long they took
    const cost = head.wall > 0 && !this.app.classList.contains("bare") ? `computed at × ${shortNumber((this.player.end - this.player.start) / head.wall, 2)}` : "";
    this.factor.textContent = this.player.playing && factor > 0 ? `real time × ${shortNumber(factor, 3)}` : cost;
    this.scrub.value = String(time);
    if (!this.app.classList.contains("narrow") && !this.app.classList.contains("bare")) this.panel.draw(time);
  }

  // grid, axes and names: only when they look different than before
  private drawAround(camera: THREE.Camera): void {
    const { above, around, width, height, look, plan } = this, labels = this.options.names || plan !== null;
    const now = [camera.matrixWorld.elements, camera.projectionMatrix.elements];
    let same = around[32] === width && around[33] === height && around[34] === +look.dark;
    for (let k = 0; same && k < 32; k++) same = around[k] === now[k >> 4][k & 15];
    if (!same) {
      for (let k = 0; k < 32; k++) around[k] = now[k >> 4][k & 15];
      around[32] = width; around[33] = height; around[34] = +look.dark;
      const plane = camera instanceof THREE.OrthographicCamera && !plan?.alone;
      for (const canvas of [this.below, this.leftEdge, this.lowerEdge]) canvas.hidden = !plane;
      this.corner.hidden = camera instanceof THREE.OrthographicCamera;
      if (plane) drawPlane(this.below, this.leftEdge, this.lowerEdge, camera, width, height, look);
      else if (!this.corner.hidden) drawTriad(this.corner, camera, look);
    }
    above.hidden = !labels;
    if (!labels) return;
    const ctx = startAbove(above, width, height);
    if (this.options.names) drawNames(ctx, this.view, camera, width, height, look);
    plan?.draw(ctx, camera, width, height, this.player.time, look);
  }

  private loop(now: number): void {
    this.player.tick(now / 1000);
    if (this.player.playing || this.dirty) {
      this.dirty = false;
      if (this.player.playing && this.quality.tick(now / 1000)) this.resize();
      const began = performance.now();
      this.draw();
      this.spent[this.pictures % KEPT] = performance.now() - began;
      this.drawn[this.pictures++ % KEPT] = now;
    }
    requestAnimationFrame((next) => this.loop(next));
  }

  private fromHash(): void {
    const { hash } = this;
    if (hash.get("bare")) { this.app.classList.add("bare"); this.resize(); this.fit(); }
    if (hash.get("panel") === "0") { this.app.classList.add("narrow"); this.resize(); this.fit(); }
    const t = Number(hash.get("t"));
    if (hash.has("t") && Number.isFinite(t)) this.player.seek(t);
    const pose = this.data.poseOf.get(hash.get("follow") ?? "");
    if (pose) this.follow(pose);
    if (hash.get("play")) this.player.play();
  }

  // who draws: a graphics card, or the processor
  private drawnBy(): string {
    const gl = this.renderer.getContext(), info = gl.getExtension("WEBGL_debug_renderer_info");
    return String(gl.getParameter(info ? info.UNMASKED_RENDERER_WEBGL : gl.RENDERER));
  }

  // what scripts and tests may use
  handle() {
    return {
      seek: (time: number) => { this.player.pause(); this.player.seek(time); this.draw(); return this.player.time; },
      play: () => this.player.play(),
      pause: () => this.player.pause(),
      follow: (name: string) => { this.follow(this.data.poseOf.get(name) ?? 0); this.draw(); },
      state: () => ({
        time: this.player.time, playing: this.player.playing, speed: this.player.speed, loop: this.player.loop,
        follow: this.data.head.poses[this.cameraman.follow], dark: this.look.dark, frames: this.data.count,
        bodies: this.data.head.poses.length - 1, events: this.data.head.events.length, curves: this.panel.plot.curves.map((c) => c.name),
        start: this.player.start, end: this.player.end, target: this.cameraman.controls.target.toArray(),
        options: { ...this.options }, plan: this.plan ? this.plan.state(this.player.time) : null, calls: this.renderer.info.render.calls, trails: this.view.trailsShown,
        views: this.cameraman.slots(),
      }),
      // pictures per second as they came, and the milliseconds that the script took for each
      fps: () => {
        const n = Math.min(this.pictures, KEPT), first = this.pictures > KEPT ? this.pictures % KEPT : 0;
        return n < 2 ? 0 : (1000 * (n - 1)) / (this.drawn[(this.pictures - 1) % KEPT] - this.drawn[first]);
      },
      script: () => this.spent.subarray(0, Math.min(this.pictures, KEPT)).reduce((a, b) => a + b, 0) / Math.max(1, Math.min(this.pictures, KEPT)),
      pictures: () => this.pictures,
      ticks: () => [...this.panel.plot.ticks],
      rightTicks: () => [...this.panel.plot.rightTicks],
      sharpness: () => this.quality.scale,
      drawnBy: () => this.drawnBy(),
      contactStates: () => [...this.view.shown],
      contactColours: () => this.data.frameStart[this.data.frameAt(this.player.time) + 1] - this.data.frameStart[this.data.frameAt(this.player.time)],
    };
  }
}

async function start(): Promise<void> {
  const holder = document.getElementById("data")!, served = holder.dataset.served === "1";
  let packed: Uint8Array;
  if (served) {
    const answer = await fetch("data");
    if (!answer.ok) throw new Error(`The server answered ${answer.status}.`);
    packed = new Uint8Array(await answer.arrayBuffer());
  } else packed = fromBase64(holder.textContent!.trim());
  holder.textContent = "";
  const data = await decode(packed);
  const page = new Page(data, served, new URLSearchParams(location.hash.slice(1)));
  Object.assign(window, { cornerlaw: page.handle() });
}

start().catch((error: unknown) => {
  const app = document.getElementById("app")!;
  app.replaceChildren(el("main", { id: "stage" }, el("div", { id: "message" }, `This page cannot be shown: ${error instanceof Error ? error.message : String(error)}`)));
  console.error(error);
});
