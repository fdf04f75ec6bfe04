// The time plot: curves chosen by name, a cursor that is the clock.
import type { RunData } from "./data";
import { label, niceStep } from "./overlay";
import { tickTexts, unitText } from "./text";
import { CURVES, type Look } from "./theme";

export interface Curve { name: string; unit: string; values: Float32Array; colour: string; }

interface Scale { low: number; high: number; }

const LEFT = 56, RIGHT = 8, TOP = 18, BOTTOM = 20;

export class TimePlot {
  curves: Curve[] = [];
  onSeek: (time: number) => void = () => {};
  private still: HTMLCanvasElement = document.createElement("canvas");
  private stale = true;
  ticks: string[] = []; // of the values, as they are written
  rightTicks: string[] = []; // of a second unit
  private right = RIGHT; // the rim there
  private look!: Look;

  constructor(readonly canvas: HTMLCanvasElement, private data: RunData) {
    let down = false;
    const seek = (event: PointerEvent) => {
      const box = canvas.getBoundingClientRect();
      const s = (event.clientX - box.left - LEFT) / (box.width - LEFT - this.right);
      this.onSeek(this.t0 + Math.min(1, Math.max(0, s)) * (this.t1 - this.t0));
    };
    canvas.addEventListener("pointerdown", (e) => { down = true; canvas.setPointerCapture(e.pointerId); seek(e); });
    canvas.addEventListener("pointermove", (e) => { if (down) seek(e); });
    canvas.addEventListener("pointerup", () => { down = false; });
  }

  private get t0(): number { return this.data.t[0]; }
  private get t1(): number { return this.data.t[this.data.count - 1]; }

  use(data: RunData): void { this.data = data; this.stale = true; }
  paint(look: Look): void { this.look = look; this.stale = true; }

  add(name: string, unit: string, values: Float32Array): void {
    if (this.curves.some((c) => c.name === name)) return;
    const colour = CURVES.find((c) => !this.curves.some((k) => k.colour === c)) ?? CURVES[this.curves.length % CURVES.length];
    this.curves.push({ name, unit, values, colour });
    this.stale = true;
  }

  remove(name: string): void { this.curves = this.curves.filter((c) => c.name !== name); this.stale = true; }

  value(curve: Curve, time: number): number {
    const { t } = this.data, f = this.data.frameAt(time), n = Math.min(f + 1, this.data.count - 1), gap = t[n] - t[f];
    const w = gap > 0 ? Math.min(1, (time - t[f]) / gap) : 0;
    return w === 0 ? curve.values[f] : curve.values[f] * (1 - w) + curve.values[n] * w;
  }

  draw(time: number): void {
    const width = this.canvas.clientWidth, height = this.canvas.clientHeight;
    if (!width || !height) return;
    const ratio = Math.min(2, window.devicePixelRatio || 1), w = Math.round(width * ratio), h = Math.round(height * ratio);
    if (this.canvas.width !== w || this.canvas.height !== h || this.stale) {
      this.canvas.width = this.still.width = w;
      this.canvas.height = this.still.height = h;
      const ctx = this.still.getContext("2d")!;
      ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
      this.drawCurves(ctx, width, height);
      this.stale = false;
    }
    const ctx = this.canvas.getContext("2d")!;
    ctx.setTransform(1, 0, 0, 1, 0, 0);
    ctx.clearRect(0, 0, w, h);
    ctx.drawImage(this.still, 0, 0);
    ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
    const span = this.t1 - this.t0 || 1, x = LEFT + ((time - this.t0) / span) * (width - LEFT - this.right);
    ctx.strokeStyle = this.look.text;
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.moveTo(x, TOP);
    ctx.lineTo(x, height - BOTTOM);
    ctx.stroke();
  }

  // a scale for every unit, as its curves need it
  private scales(): Map<string, Scale> {
    const found = new Map<string, Scale>();
    for (const { unit, values } of this.curves) {
      const scale = found.get(unit) ?? { low: Infinity, high: -Infinity };
      for (const v of values) if (Number.isFinite(v)) { scale.low = Math.min(scale.low, v); scale.high = Math.max(scale.high, v); }
      found.set(unit, scale);
    }
    if (!found.size) found.set("", { low: -1, high: 1 });
    for (const scale of found.values()) {
      if (!(scale.low <= scale.high)) { scale.low = -1; scale.high = 1; }
      const { low, high } = scale;
      // what does not change is drawn in the middle
      const rim = high - low < 1e-12 * Math.max(1, Math.abs(high)) ? Math.abs(high) * 0.055 || 1.1 : 0.05 * (high - low);
      scale.low -= rim;
      scale.high += rim;
    }
    return found;
  }

  private drawCurves(ctx: CanvasRenderingContext2D, width: number, height: number): void {
    const { look } = this, { t, count } = this.data, scales = this.scales();
    this.right = scales.size > 1 ? LEFT : RIGHT;
    ctx.clearRect(0, 0, width, height);
    ctx.font = "10px system-ui, sans-serif";
    const W = width - LEFT - this.right, H = height - TOP - BOTTOM, t0 = this.t0, span = this.t1 - t0 || 1;
    const X = (v: number) => LEFT + ((v - t0) / span) * W, Y = (v: number, s: Scale) => TOP + H - ((v - s.low) / (s.high - s.low)) * H;
    ctx.strokeStyle = look.gridStrong;
    ctx.lineWidth = 1;
    ctx.strokeRect(LEFT + 0.5, TOP + 0.5, W - 1, H - 1);
    ctx.fillStyle = look.quiet;
    const stepX = niceStep(span, 4);
    ctx.textAlign = "center";
    ctx.textBaseline = "top";
    for (let k = Math.ceil(t0 / stepX); k * stepX <= t0 + span * 0.999; k++) {
      const x = X(k * stepX);
      ctx.strokeStyle = look.grid;
      ctx.beginPath(); ctx.moveTo(x, TOP); ctx.lineTo(x, TOP + H); ctx.stroke();
      if (x > LEFT + 8 && x + ctx.measureText(label(k * stepX, stepX)).width / 2 < LEFT + W - 20) ctx.fillText(label(k * stepX, stepX), x, TOP + H + 4);
    }
    ctx.textAlign = "right";
    ctx.fillText("[s]", LEFT + W, TOP + H + 4);
    // the first unit on the left, the second on the right; others have their values beside their names only
    [...scales].slice(0, 2).forEach(([unit, scale], side) => this.drawScale(ctx, unit, scale, side === 1, W, (v) => Y(v, scale)));
    ctx.save();
    ctx.beginPath();
    ctx.rect(LEFT, TOP, W, H);
    ctx.clip();
    for (const curve of this.curves) {
      const scale = scales.get(curve.unit)!;
      ctx.strokeStyle = curve.colour;
      ctx.lineWidth = 1.4;
      ctx.beginPath();
      let pen = false;
      for (let f = 0; f < count; f++) {
        const v = curve.values[f];
        if (!Number.isFinite(v)) { pen = false; continue; }
        if (pen) ctx.lineTo(X(t[f]), Y(v, scale)); else ctx.moveTo(X(t[f]), Y(v, scale));
        pen = true;
      }
      ctx.stroke();
    }
    ctx.restore();
    if (!this.curves.length) {
      ctx.textAlign = "center";
      ctx.fillText("choose a signal above", LEFT + W / 2, TOP + H / 2);
    }
  }

  private drawScale(ctx: CanvasRenderingContext2D, unit: string, scale: Scale, right: boolean, W: number, Y: (v: number) => number): void {
    const { look } = this, step = niceStep(scale.high - scale.low, 4), places: number[] = [];
    for (let k = Math.ceil(scale.low / step); k * step <= scale.high; k++) places.push(k * step);
    const { texts, base } = tickTexts(places, step, (text) => ctx.measureText(text).width < LEFT - 6);
    if (right) this.rightTicks = texts; else { this.ticks = texts; this.rightTicks = []; }
    ctx.textBaseline = "middle";
    ctx.textAlign = right ? "left" : "right";
    places.forEach((v, k) => {
      ctx.strokeStyle = look.grid;
      if (!right) { ctx.beginPath(); ctx.moveTo(LEFT, Y(v)); ctx.lineTo(LEFT + W, Y(v)); ctx.stroke(); }
      ctx.fillText(texts[k], right ? LEFT + W + 4 : LEFT - 4, Y(v));
    });
    if (!this.curves.length) return;
    ctx.textAlign = right ? "right" : "left";
    ctx.textBaseline = "top";
    // the curves of a unit are named by their colours
    const used = this.curves.filter((c) => c.unit === unit), shift = base ? `  ${base > 0 ? "+" : "−"} ${Math.abs(base)}` : "";
    const text = `[${unitText(unit)}]${shift}`;
    let x = right ? LEFT + W - ctx.measureText(text).width - 4 : LEFT + ctx.measureText(text).width + 4;
    ctx.fillText(text, right ? LEFT + W : LEFT, 4);
    if (this.right === RIGHT) return; // one unit only
    for (const curve of used.slice(0, 6)) {
      ctx.fillStyle = curve.colour;
      ctx.fillRect(right ? x - 10 : x, 8, 8, 3);
      x += right ? -12 : 12;
    }
    ctx.fillStyle = look.quiet;
  }
}
