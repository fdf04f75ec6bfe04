// What is drawn on plain canvases around the scene: grid and axes of the plane, names, a triad.
import * as THREE from "three";
import type { SceneView } from "./scene";
import type { Look } from "./theme";

const FONT = "11px system-ui, -apple-system, 'Segoe UI', Roboto, Arial, sans-serif";

function prepare(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = Math.min(2, window.devicePixelRatio || 1);
  if (canvas.width !== Math.round(width * ratio) || canvas.height !== Math.round(height * ratio)) {
    canvas.width = Math.round(width * ratio);
    canvas.height = Math.round(height * ratio);
  }
  const ctx = canvas.getContext("2d")!;
  ctx.setTransform(ratio, 0, 0, ratio, 0, 0);
  ctx.clearRect(0, 0, width, height);
  ctx.font = FONT;
  return ctx;
}

export function niceStep(span: number, count: number): number {
  const raw = span / count, power = 10 ** Math.floor(Math.log10(raw));
  return power * ([1, 2, 5, 10].find((m) => m * power >= raw * 0.999) ?? 10);
}

export function label(value: number, step: number): string {
  const digits = Math.max(0, Math.min(9, -Math.floor(Math.log10(step) + 1e-9)));
  const text = value.toFixed(digits);
  return Math.abs(value) > 99999 ? value.toExponential(1) : text === "-0" ? "0" : text;
}

export const LEFT_EDGE = 62, LOWER_EDGE = 26, CORNER = 92; // pixels of the canvases that lie above the scene

// a rim in the colour of the ground keeps letters readable where a line runs behind them
function write(ctx: CanvasRenderingContext2D, text: string, x: number, y: number, look: Look): void {
  ctx.lineWidth = 3;
  ctx.lineJoin = "round";
  ctx.strokeStyle = look.back;
  ctx.strokeText(text, x, y);
  ctx.fillText(text, x, y);
}

// grid below, numbers above the bodies, on canvases no larger than they are: every pixel that lies
// above the scene is put there anew with every picture, at more cost than the scene itself
export function drawPlane(below: HTMLCanvasElement, left: HTMLCanvasElement, lower: HTMLCanvasElement, camera: THREE.OrthographicCamera,
  width: number, height: number, look: Look): void {
  const ctx = prepare(below, width, height);
  const spanX = (camera.right - camera.left) / camera.zoom, spanY = (camera.top - camera.bottom) / camera.zoom;
  const x0 = camera.position.x - spanX / 2, y0 = camera.position.y - spanY / 2;
  const step = niceStep(spanX, Math.max(3, width / 110));
  const small = Math.max(spanX, spanY) < 0.5, unit = small ? "mm" : "m", factor = small ? 1000 : 1;
  const X = (x: number) => ((x - x0) / spanX) * width, Y = (y: number) => height - ((y - y0) / spanY) * height;
  const each = (from: number, span: number, draw: (v: number) => void) => {
    for (let k = Math.ceil(from / step); k * step <= from + span; k++) draw(k * step);
  };
  const stroke = (v: number) => {
    ctx.strokeStyle = Math.abs(v) < 1e-9 * step ? look.gridStrong : look.grid;
    ctx.beginPath();
  };
  ctx.lineWidth = 1;
  each(x0, spanX, (x) => { stroke(x); const p = Math.round(X(x)) + 0.5; ctx.moveTo(p, 0); ctx.lineTo(p, height); ctx.stroke(); });
  each(y0, spanY, (y) => { stroke(y); const p = Math.round(Y(y)) + 0.5; ctx.moveTo(0, p); ctx.lineTo(width, p); ctx.stroke(); });
  const across = prepare(lower, width, LOWER_EDGE);
  across.fillStyle = look.quiet;
  across.textAlign = "center";
  across.textBaseline = "bottom";
  const unitEnd = 14 + across.measureText(`[${unit}]`).width;
  each(x0, spanX, (x) => { const p = X(x); const text = label(x * factor, step * factor), half = across.measureText(text).width / 2; if (p - half > unitEnd && p < width - 250) write(across, text, p, LOWER_EDGE - 6, look); });
  across.textAlign = "left";
  write(across, `[${unit}]`, 6, LOWER_EDGE - 6, look);
  const upright = prepare(left, LEFT_EDGE, height - LOWER_EDGE);
  upright.fillStyle = look.quiet;
  upright.textAlign = "left";
  upright.textBaseline = "middle";
  each(y0, spanY, (y) => { const p = Y(y); if (p > 62 && p < height - LOWER_EDGE) write(upright, label(y * factor, step * factor), 6, p, look); });
}

export function startAbove(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  return prepare(canvas, width, height);
}

export function drawNames(ctx: CanvasRenderingContext2D, view: SceneView, camera: THREE.Camera, width: number, height: number, look: Look): void {
  const p = new THREE.Vector3();
  ctx.font = FONT;
  ctx.textAlign = "center";
  ctx.textBaseline = "bottom";
  ctx.fillStyle = look.text;
  for (const body of view.data.head.bodies.slice(0, 300)) {
    if (body.pose === 0) continue;
    p.setFromMatrixPosition(view.poseMatrix(body.pose)).project(camera);
    if (p.z > 1 || Math.abs(p.x) > 1 || Math.abs(p.y) > 1) continue;
    const x = ((p.x + 1) / 2) * width, y = ((1 - p.y) / 2) * height - 6;
    write(ctx, body.name, x, y, look);
  }
}

export function drawTriad(canvas: HTMLCanvasElement, camera: THREE.Camera, look: Look): void {
  const ctx = prepare(canvas, CORNER, CORNER);
  const q = camera.quaternion.clone().invert(), v = new THREE.Vector3();
  const colours = ["#d55e00", "#009e73", look.dark ? "#56b4e9" : "#0072b2"], x = 44, y = CORNER - 44, r = 26;
  const axes = ["x", "y", "z"].map((name, k) => {
    v.set(+(k === 0), +(k === 1), +(k === 2)).applyQuaternion(q);
    return { name, k, x: v.x, y: v.y, z: v.z };
  }).sort((a, b) => a.z - b.z);
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.font = FONT;
  for (const a of axes) {
    ctx.strokeStyle = ctx.fillStyle = colours[a.k];
    ctx.lineWidth = 2;
    ctx.beginPath();
    ctx.moveTo(x, y);
    ctx.lineTo(x + r * a.x, y - r * a.y);
    ctx.stroke();
    ctx.fillText(a.name, x + (r + 9) * a.x, y - (r + 9) * a.y);
  }
}
