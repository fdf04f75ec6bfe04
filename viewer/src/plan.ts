// The plan of a drive train or a hydraulic network: nodes and lines, coloured by speed or pressure.
import * as THREE from "three";
import { SHEET } from "./camera";
import type { PlanHead, PlanLink, PlanNode, RunData } from "./data";
import type { Look } from "./theme";

// from low to high, told apart by everybody (after cividis, a little lighter at its dark end)
const RAMP = [[18, 58, 122], [62, 92, 140], [112, 118, 134], [158, 146, 116], [208, 180, 84], [252, 222, 60]];
const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif";
const PREFIX: [number, string][] = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"]];

interface Range { low: number; high: number; }
interface Spot { x: number; y: number; }

export class Plan {
  readonly alone: boolean; // nothing else is drawn: the plan fills the scene
  private readonly plan: PlanHead;
  private readonly range: Range;
  private readonly strongest: number;
  private readonly travel: Range[]; // of the second value of every node
  private readonly corner: number[]; // contact of every link, -1 none
  private readonly spots: Spot[];
  private readonly back: Spot = { x: 0, y: 0 };
  private readonly ahead: Spot = { x: 0, y: 0 };
  private readonly point = new THREE.Vector3();

  constructor(private readonly data: RunData) {
    this.plan = data.head.plan!;
    this.alone = data.head.bodies.length === 0;
    this.range = rangeOf(data.planValue);
    const flow = rangeOf(data.planFlow);
    this.strongest = Math.max(Math.abs(flow.low), Math.abs(flow.high)) || 1;
    const F = data.count;
    this.travel = this.plan.nodes.map((_, k) => rangeOf(data.planSecond.subarray(k * F, (k + 1) * F)));
    this.corner = this.plan.links.map((link) => data.head.contacts.findIndex((c) => c.name === link.name));
    this.spots = this.plan.nodes.map(() => ({ x: 0, y: 0 }));
  }

  // what is shown, for scripts
  state(time: number): { nodes: number; links: number; values: number[]; colours: string[]; places: Spot[] } {
    const frame = this.data.frameAt(time), F = this.data.count;
    const values = this.plan.nodes.map((_, k) => this.data.planValue[k * F + frame]);
    return { nodes: this.plan.nodes.length, links: this.plan.links.length, values, colours: values.map((v) => this.colour(v)), places: this.spots };
  }

  draw(ctx: CanvasRenderingContext2D, camera: THREE.Camera, width: number, height: number, time: number, look: Look): void {
    const frame = this.data.frameAt(time), unit = this.place(camera, width, height, ctx, look);
    this.plan.links.forEach((link, k) => this.drawLink(ctx, link, k, frame, unit, look));
    this.plan.nodes.forEach((node, k) => this.drawNode(ctx, node, k, frame, unit, look));
    if (unit > 44) this.drawNames(ctx, frame, unit, look);
    this.drawBar(ctx, width, look);
  }

  // where the nodes are on the page; returns the length of one
  private place(camera: THREE.Camera, width: number, height: number, ctx: CanvasRenderingContext2D, look: Look): number {
    const { nodes } = this.plan, { spots, point } = this;
    if (this.alone) {
      const screen = (x: number, y: number, out: Spot) => {
        point.set(x, y, 0).project(camera);
        out.x = ((point.x + 1) / 2) * width;
        out.y = ((1 - point.y) / 2) * height;
      };
      nodes.forEach((node, k) => screen(node.at[0], node.at[1], spots[k]));
      screen(0, 0, this.back);
      screen(1, 0, this.ahead);
      return this.ahead.x - this.back.x;
    }
    // beside bodies: a small sheet in the corner
    const xs = nodes.map((n) => n.at[0]), ys = nodes.map((n) => n.at[1]);
    const x0 = Math.min(...xs) - 0.6, y1 = Math.max(...ys) + 0.6;
    const wide = Math.max(...xs) + 0.6 - x0, tall = y1 - Math.min(...ys) + 0.6;
    // right of the numbers of the axis
    const left = 44, unit = Math.min((SHEET * width - left) / wide, (0.62 * height) / tall, 90), top = height - 34 - unit * tall;
    ctx.globalAlpha = 0.86;
    ctx.fillStyle = look.back;
    ctx.fillRect(left, top, unit * wide, unit * tall);
    ctx.globalAlpha = 1;
    ctx.strokeStyle = look.gridStrong;
    ctx.lineWidth = 1;
    ctx.strokeRect(left, top, unit * wide, unit * tall);
    nodes.forEach((node, k) => { spots[k].x = left + unit * (node.at[0] - x0); spots[k].y = top + unit * (y1 - node.at[1]); });
    return unit;
  }

  private colour(value: number): string {
    if (!Number.isFinite(value)) return "#9aa3ad";
    const { low, high } = this.range, x = high > low ? Math.min(1, Math.max(0, (value - low) / (high - low))) : 0.5;
    const at = x * (RAMP.length - 1), k = Math.min(RAMP.length - 2, Math.floor(at)), w = at - k;
    const mix = (c: number) => Math.round(RAMP[k][c] * (1 - w) + RAMP[k + 1][c] * w);
    return `rgb(${mix(0)},${mix(1)},${mix(2)})`;
  }

  // a number that is nothing against the others is zero
  private rounded(value: number): number {
    const { low, high } = this.range, large = Math.max(Math.abs(low), Math.abs(high));
    return Math.abs(value) < 1e-4 * large ? 0 : value;
  }

  private valueAt(node: number, frame: number): number { return this.data.planValue[node * this.data.count + frame]; }

  private drawLink(ctx: CanvasRenderingContext2D, link: PlanLink, k: number, frame: number, unit: number, look: Look): void {
    const a = this.spots[link.first], b = this.spots[link.second], F = this.data.count;
    const dx = b.x - a.x, dy = b.y - a.y, length = Math.hypot(dx, dy) || 1;
    // several links between the same nodes are bent apart; so is one that leads within its column
    const bend = 0.5 * unit * (link.lane + (Math.abs(dx) < 1e-6 && link.lane === 0 ? 0.6 : 0));
    const mx = (a.x + b.x) / 2 + (-dy / length) * bend, my = (a.y + b.y) / 2 + (dx / length) * bend;
    const flow = this.data.planFlow[k * F + frame], share = Number.isFinite(flow) ? Math.sqrt(Math.abs(flow) / this.strongest) : 0;
    const first = this.valueAt(link.first, frame), second = this.valueAt(link.second, frame);
    const shade = ctx.createLinearGradient(a.x, a.y, b.x, b.y);
    const from = Number.isFinite(first) ? first : second, to = Number.isFinite(second) ? second : first;
    shade.addColorStop(0, this.colour(from));
    shade.addColorStop(1, this.colour(to));
    ctx.strokeStyle = shade;
    ctx.lineWidth = Math.max(1.5, unit * (0.022 + 0.075 * share));
    ctx.lineCap = "round";
    ctx.beginPath();
    ctx.moveTo(a.x, a.y);
    ctx.quadraticCurveTo(2 * mx - (a.x + b.x) / 2, 2 * my - (a.y + b.y) / 2, b.x, b.y);
    ctx.stroke();
    const arrow = share > 0.03;
    if (arrow) this.drawHead(ctx, mx, my, (Math.sign(flow) * dx) / length, (Math.sign(flow) * dy) / length, unit * (0.06 + 0.07 * share), look);
    const corner = this.corner[k];
    const beside = arrow ? 0.17 * unit : 0; // else in the middle, away from the texts of both nodes
    if (corner >= 0) this.drawState(ctx, mx + beside * (dx / length), my + beside * (dy / length), this.data.state[corner * F + frame], unit, look);
  }

  private drawHead(ctx: CanvasRenderingContext2D, x: number, y: number, ux: number, uy: number, size: number, look: Look): void {
    ctx.fillStyle = look.text;
    ctx.beginPath();
    ctx.moveTo(x + size * ux, y + size * uy);
    ctx.lineTo(x - size * ux - 0.8 * size * uy, y - size * uy + 0.8 * size * ux);
    ctx.lineTo(x - size * ux + 0.8 * size * uy, y - size * uy - 0.8 * size * ux);
    ctx.fill();
  }

  private drawState(ctx: CanvasRenderingContext2D, x: number, y: number, state: number, unit: number, look: Look): void {
    ctx.fillStyle = `#${look.states[state].toString(16).padStart(6, "0")}`;
    ctx.strokeStyle = look.back;
    ctx.lineWidth = 1.5;
    ctx.beginPath();
    ctx.arc(x, y, Math.max(3, 0.06 * unit), 0, 2 * Math.PI);
    ctx.fill();
    ctx.stroke();
  }

  private drawNode(ctx: CanvasRenderingContext2D, node: PlanNode, k: number, frame: number, unit: number, look: Look): void {
    const { x, y } = this.spots[k], second = this.data.planSecond[k * this.data.count + frame];
    ctx.fillStyle = this.colour(this.valueAt(k, frame));
    ctx.strokeStyle = look.text;
    ctx.lineWidth = Math.max(1, 0.014 * unit);
    const r = radius(node, unit);
    ctx.beginPath();
    if (node.kind === "cylinder" || node.kind === "source" || node.kind === "other") ctx.rect(x - 1.25 * r, y - r, 2.5 * r, 2 * r);
    else ctx.arc(x, y, r, 0, 2 * Math.PI);
    ctx.fill();
    ctx.stroke();
    if (!Number.isFinite(second)) return;
    ctx.beginPath();
    if (node.kind === "rotor") {
      ctx.moveTo(x, y);
      ctx.lineTo(x + r * Math.cos(second), y - r * Math.sin(second));
    } else {
      // the piston in its bore, between the ends of its travel
      const { low, high } = this.travel[k], share = high > low ? (second - low) / (high - low) : 0.5, p = x + (1.7 * share - 0.85) * r;
      ctx.moveTo(p, y - r);
      ctx.lineTo(p, y + r);
      ctx.moveTo(p, y);
      ctx.lineTo(x + 1.7 * r, y);
    }
    ctx.lineWidth = Math.max(1.5, 0.035 * unit);
    ctx.stroke();
  }

  private drawNames(ctx: CanvasRenderingContext2D, frame: number, unit: number, look: Look): void {
    const size = Math.min(13, Math.max(8, 0.13 * unit));
    ctx.textAlign = "center";
    ctx.lineWidth = 3;
    ctx.strokeStyle = look.back;
    // what would lie on another text or on a node is left out; widths do not change with the time
    const taken = this.plan.nodes.map((node, k): Box => around(this.spots[k], 1.6 * radius(node, unit), 2 * radius(node, unit)));
    ctx.font = `${size}px ${FONT}`;
    const text = (words: string, x: number, y: number, colour: string, always: boolean, widest = words) => {
      const top = ctx.textBaseline === "top" ? y + 0.5 * size : y - 0.5 * size;
      const box = around({ x, y: top }, ctx.measureText(widest).width, 0.9 * size);
      if (!always && taken.some((other) => meet(box, other))) return;
      taken.push(box);
      ctx.strokeText(words, x, y);
      ctx.fillStyle = colour;
      ctx.fillText(words, x, y);
    };
    const low = (node: PlanNode) => unit * (node.kind === "rotor" ? 0.25 : node.kind === "end" ? 0.1 : 0.19);
    ctx.textBaseline = "top";
    this.plan.nodes.forEach((node, k) => text(node.name, this.spots[k].x, this.spots[k].y + low(node), look.text, true));
    ctx.textBaseline = "bottom";
    if (unit > 60) this.plan.nodes.forEach((node, k) => {
      const value = this.valueAt(k, frame), { unit: word } = this.plan;
      if (Number.isFinite(value)) text(withUnit(this.rounded(value), word), this.spots[k].x, this.spots[k].y - low(node), look.quiet, false, `-0.0000 ${word}`);
    });
    if (unit < 110) return; // names of lines would lie on those of nodes
    this.plan.links.forEach((link) => {
      const a = this.spots[link.first], b = this.spots[link.second];
      const ends = [this.plan.nodes[link.first].name, this.plan.nodes[link.second].name];
      if (ends.includes(link.name)) return; // the node at its end has the name
      const dx = b.x - a.x, dy = b.y - a.y, length = Math.hypot(dx, dy) || 1, bend = 0.5 * unit * link.lane;
      text(link.name, (a.x + b.x) / 2 + (-dy / length) * bend, (a.y + b.y) / 2 + (dx / length) * bend - 0.08 * unit, look.quiet, false);
    });
  }

  // the colours and what they mean
  private drawBar(ctx: CanvasRenderingContext2D, width: number, look: Look): void {
    if (!(this.range.high > this.range.low)) return;
    const w = 150, h = 9, x = width - w - 16, y = 66, shade = ctx.createLinearGradient(x, 0, x + w, 0);
    if (!this.alone) {
      // bodies may lie below
      ctx.globalAlpha = 0.86;
      ctx.fillStyle = look.back;
      ctx.fillRect(x - 6, y - 18, w + 12, h + 38);
      ctx.globalAlpha = 1;
    }
    RAMP.forEach(([r, g, b], k) => shade.addColorStop(k / (RAMP.length - 1), `rgb(${r},${g},${b})`));
    ctx.fillStyle = shade;
    ctx.fillRect(x, y, w, h);
    ctx.font = `11px ${FONT}`;
    ctx.fillStyle = look.quiet;
    ctx.textBaseline = "top";
    ctx.textAlign = "left";
    ctx.fillText(withUnit(this.range.low, this.plan.unit), x, y + h + 3);
    ctx.textAlign = "right";
    ctx.fillText(withUnit(this.range.high, this.plan.unit), x + w, y + h + 3);
    ctx.textBaseline = "bottom";
    ctx.fillText(this.plan.quantity, x + w, y - 2);
  }
}

interface Box { left: number; right: number; top: number; bottom: number; }

function around(p: { x: number; y: number }, width: number, height: number): Box {
  return { left: p.x - width / 2, right: p.x + width / 2, top: p.y - height / 2, bottom: p.y + height / 2 };
}

function meet(a: Box, b: Box): boolean { return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom; }

function radius(node: PlanNode, unit: number): number {
  return unit * ({ rotor: 0.22, end: 0.07, gear: 0.11, junction: 0.15 }[node.kind] ?? 0.17);
}

// least and greatest value, without the rarest hundredth on either side
function rangeOf(values: Float32Array): Range {
  const step = Math.max(1, Math.floor(values.length / 20000)), found: number[] = [];
  for (let k = 0; k < values.length; k += step) if (Number.isFinite(values[k])) found.push(values[k]);
  if (!found.length) return { low: 0, high: 0 };
  found.sort((a, b) => a - b);
  return { low: found[Math.floor(0.01 * (found.length - 1))], high: found[Math.ceil(0.99 * (found.length - 1))] };
}

function withUnit(value: number, unit: string): string {
  if (unit === "Pa") return `${(value / 1e5).toPrecision(3)} bar`;
  if (unit.includes("/")) return `${Number(value.toPrecision(4))} ${unit}`;
  const [factor, sign] = PREFIX.find(([f]) => Math.abs(value) >= f) ?? [1, ""];
  return `${(value / factor).toPrecision(3)} ${sign}${unit}`;
}
