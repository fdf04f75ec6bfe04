// Shapes as triangles: flat ones for the plane, solids for space. Equal shapes share one geometry.
import * as THREE from "three";
import { mergeGeometries } from "three/examples/jsm/utils/BufferGeometryUtils.js";
import type { Shape } from "./data";
import { FAR } from "./floor";

export interface Piece {
  key: string; // equal keys are drawn as instances of one geometry
  geometry: () => THREE.BufferGeometry;
  local: THREE.Matrix4;
  tint: "fill" | "edge" | "ground" | "groundEdge" | "mark";
  thin?: boolean; // seen from both sides
  glass?: boolean; // seen through
  creases?: boolean; // edges are drawn as lines
  reach: number; // radius about the origin of the body that holds it
}

export function matrixOf(shape: Shape): THREE.Matrix4 {
  const m = new THREE.Matrix4();
  const r = shape.rot;
  if (r) m.set(r[0], r[1], r[2], 0, r[3], r[4], r[5], 0, r[6], r[7], r[8], 0, 0, 0, 0, 1);
  const at = shape.at ?? [0, 0, 0];
  m.setPosition(at[0], at[1], at[2] ?? 0);
  return m;
}

const distance = (p?: number[]) => (p ? Math.hypot(p[0], p[1], p[2] ?? 0) : 0);

export function circlePoints(x: number, y: number, r: number, n: number): THREE.Vector2[] {
  return Array.from({ length: n }, (_, k) => {
    const a = (2 * Math.PI * k) / n;
    return new THREE.Vector2(x + r * Math.cos(a), y + r * Math.sin(a));
  });
}

export function convexHull(points: THREE.Vector2[]): THREE.Vector2[] {
  const p = [...points].sort((a, b) => a.x - b.x || a.y - b.y);
  const cross = (o: THREE.Vector2, a: THREE.Vector2, b: THREE.Vector2) =>
    (a.x - o.x) * (b.y - o.y) - (a.y - o.y) * (b.x - o.x);
  const half = (list: THREE.Vector2[]) => {
    const out: THREE.Vector2[] = [];
    for (const q of list) {
      while (out.length > 1 && cross(out[out.length - 2], out[out.length - 1], q) <= 0) out.pop();
      out.push(q);
    }
    return out.slice(0, -1);
  };
  return [...half(p), ...half(p.reverse())];
}

// a band of the given width along a line, mitred at its corners
export function band(points: THREE.Vector2[], width: number, closed: boolean): THREE.BufferGeometry {
  const n = points.length, h = width / 2;
  const vertices: number[] = [], index: number[] = [];
  for (let k = 0; k < n; k++) {
    const before = points[closed ? (k + n - 1) % n : Math.max(0, k - 1)];
    const after = points[closed ? (k + 1) % n : Math.min(n - 1, k + 1)];
    const here = points[k];
    const a = here.clone().sub(before), b = after.clone().sub(here);
    if (a.lengthSq() === 0) a.copy(b);
    if (b.lengthSq() === 0) b.copy(a);
    a.normalize(); b.normalize();
    const normal = new THREE.Vector2(-(a.y + b.y), a.x + b.x);
    if (normal.lengthSq() < 1e-12) normal.set(-a.y, a.x);
    normal.normalize();
    const stretch = Math.min(2.5, 1 / Math.max(0.25, Math.abs(-normal.x * a.y + normal.y * a.x)));
    vertices.push(here.x + normal.x * h * stretch, here.y + normal.y * h * stretch, 0);
    vertices.push(here.x - normal.x * h * stretch, here.y - normal.y * h * stretch, 0);
  }
  for (let k = 0; k < (closed ? n : n - 1); k++) {
    const i = 2 * k, j = 2 * ((k + 1) % n);
    index.push(i, i + 1, j, j, i + 1, j + 1);
  }
  const g = new THREE.BufferGeometry();
  g.setAttribute("position", new THREE.Float32BufferAttribute(vertices, 3));
  g.setIndex(index);
  return g;
}

function filled(points: THREE.Vector2[], holes: THREE.Vector2[][] = []): THREE.BufferGeometry {
  const shape = new THREE.Shape(points);
  for (const hole of holes) shape.holes.push(new THREE.Path(hole));
  return new THREE.ShapeGeometry(shape);
}

// the pieces of a flat shape; `size` is the size of the model, `wide` that of everything seen
export function flatPieces(shape: Shape, size: number, wide: number, ground: boolean, many: boolean): Piece[] {
  const edge = 0.0055 * size;
  const fillTint = ground ? "ground" : "fill", edgeTint = ground ? "groundEdge" : "edge";
  const key = JSON.stringify({ ...shape, name: 0, at: 0, rot: 0, colour: 0 });
  const local = matrixOf(shape);
  const piece = (part: string, geometry: () => THREE.BufferGeometry, tint: Piece["tint"], reach: number): Piece =>
    ({ key: `${part}${tint}${key}`, geometry, local, tint, reach: reach + distance(shape.at) });
  const around = (points: THREE.Vector2[], closed: boolean, width = edge) => {
    const reach = Math.max(...points.map((p) => p.length()));
    const out: Piece[] = [];
    if (closed) out.push(piece("fill", () => filled(points), fillTint, reach));
    out.push(piece("edge", () => band(points, closed ? width : 2 * width, closed), edgeTint, reach));
    return out;
  };
  const plain = (list: number[][]) => list.map((p) => new THREE.Vector2(p[0], p[1]));
  const segments = many ? 20 : 64;
  switch (shape.type) {
    case "sphere":
    case "disc": {
      const r = shape.r!;
      const thin = Math.min(edge, 0.12 * r);
      const out = around(circlePoints(0, 0, r, segments), true, thin);
      // a mark shows how it turns
      if (shape.mark !== false) out.push(piece("mark", () => {
        const a = filled([new THREE.Vector2(0, 0), ...arc(0.78 * r, 0, Math.PI / 2)]);
        const b = filled([new THREE.Vector2(0, 0), ...arc(0.78 * r, Math.PI, 1.5 * Math.PI)]);
        return mergeGeometries([a, b])!;
      }, "mark", r));
      return out;
    }
    case "hole": {
      const r = shape.r!, outer = r + Math.max(0.25 * r, 0.03 * size);
      return [
        piece("fill", () => filled(circlePoints(0, 0, outer, 64), [circlePoints(0, 0, r, 64).reverse()]), fillTint, outer),
        piece("edge", () => band(circlePoints(0, 0, r, 64), edge, true), edgeTint, r),
        piece("edge2", () => band(circlePoints(0, 0, outer, 64), edge, true), edgeTint, outer),
      ];
    }
    case "box": {
      const [a, b] = [shape.size![0] / 2, shape.size![1] / 2];
      return around(plain([[-a, -b], [a, -b], [a, b], [-a, b]]), true);
    }
    case "outline":
      return around(plain(shape.points!), shape.closed!);
    case "link": {
      const r = shape.r!, points = plain(shape.points!);
      const hull = convexHull(points.flatMap((p) => circlePoints(p.x, p.y, r, 32)));
      const out = around(hull, true);
      if (shape.bob) {
        const tip = points[points.length - 1];
        out.push(...around(circlePoints(tip.x, tip.y, shape.bob, 48), true).map((p) => ({ ...p, key: `bob${p.key}` })));
      }
      return out;
    }
    case "halfplane": {
      const n = shape.normal!, L = 40 * wide, depth = 40 * wide;
      const turn = new THREE.Matrix4().makeRotationZ(Math.atan2(n[1], n[0]) - Math.PI / 2);
      const m = new THREE.Matrix4().makeTranslation(shape.at![0], shape.at![1], 0).multiply(turn);
      const make = (part: string, g: () => THREE.BufferGeometry, tint: Piece["tint"]): Piece =>
        ({ key: `${part}halfplane`, geometry: g, local: m, tint, reach: -1 });
      const hatch = 0.08 * size, long = Math.min(L, 12 * wide);
      return [
        make("fill", () => filled(plain([[-L, 0], [-L, -depth], [L, -depth], [L, 0]])), "ground"),
        make("edge", () => band(plain([[-L, 0], [L, 0]]), 1.4 * edge, false), "groundEdge"),
        make("hatch", () => hatching(long, hatch, 0.5 * edge), "groundEdge"),
      ];
    }
    default:
      return [];
  }
}

// short slanted strokes below a surface, as in drawings of machines; at most 800 of them
function hatching(half: number, step: number, width: number): THREE.BufferGeometry {
  const pitch = Math.max(step, half / 400), vertices: number[] = [];
  for (let x = -half; x < half; x += pitch) {
    const a = [x, 0], b = [x - step, -step], w = width * 0.7;
    vertices.push(a[0] - w, a[1], 0, b[0] - w, b[1], 0, a[0] + w, a[1], 0);
    vertices.push(a[0] + w, a[1], 0, b[0] - w, b[1], 0, b[0] + w, b[1], 0);
  }
  const g = new THREE.BufferGeometry();
  g.setAttribute("position", new THREE.Float32BufferAttribute(vertices, 3));
  return g;
}

function arc(r: number, from: number, to: number): THREE.Vector2[] {
  return Array.from({ length: 13 }, (_, k) => {
    const a = from + ((to - from) * k) / 12;
    return new THREE.Vector2(r * Math.cos(a), r * Math.sin(a));
  });
}

// eight fields of two shades, so that one sees a ball turn
function checkered(geometry: THREE.BufferGeometry): THREE.BufferGeometry {
  const g = geometry.index ? geometry.toNonIndexed() : geometry;
  const p = g.getAttribute("position");
  const colour = new Float32Array(p.count * 3);
  for (let k = 0; k < p.count; k += 3) {
    const middle = (f: (i: number) => number) => f(k) + f(k + 1) + f(k + 2);
    const odd = middle((i) => p.getX(i)) * middle((i) => p.getY(i)) * middle((i) => p.getZ(i)) > 0;
    colour.fill(odd ? 1 : 0.62, 3 * k, 3 * k + 9);
  }
  g.setAttribute("color", new THREE.BufferAttribute(colour, 3));
  return g;
}

// the same in soft shades, with few corners
function shaded(g: THREE.BufferGeometry): THREE.BufferGeometry {
  const p = g.getAttribute("position"), colour = new Float32Array(p.count * 3);
  for (let k = 0; k < p.count; k++) colour.fill(p.getX(k) * p.getY(k) * p.getZ(k) > 0 ? 1 : 0.6, 3 * k, 3 * k + 3);
  g.setAttribute("color", new THREE.BufferAttribute(colour, 3));
  return g;
}

function plainColour(g: THREE.BufferGeometry): THREE.BufferGeometry {
  if (!g.getAttribute("color")) {
    const count = g.getAttribute("position").count;
    g.setAttribute("color", new THREE.BufferAttribute(new Float32Array(3 * count).fill(1), 3));
  }
  return g;
}

const Z_UP = new THREE.Matrix4().makeRotationX(Math.PI / 2); // three.js has its axes along y

export function solidPieces(shape: Shape, size: number, wide: number, ground: boolean, many: boolean): Piece[] {
  const key = JSON.stringify({ ...shape, name: 0, at: 0, rot: 0, colour: 0 });
  const local = matrixOf(shape);
  const make = (geometry: () => THREE.BufferGeometry, reach: number, more: Partial<Piece> = {}): Piece[] => [{
    key: `solid${ground}${key}`, geometry: () => plainColour(geometry()), local,
    tint: ground ? "ground" : "fill", reach: reach + distance(shape.at), ...more,
  }];
  const round = many ? 14 : 40;
  switch (shape.type) {
    case "sphere": {
      const ball = () => new THREE.SphereGeometry(shape.r!, many ? 10 : 32, many ? 7 : 20).applyMatrix4(Z_UP);
      const g = many ? () => shaded(ball()) : () => checkered(ball());
      return make(ground ? () => new THREE.SphereGeometry(shape.r!, 48, 32) : g, shape.r!);
    }
    case "bowl":
      return make(() => new THREE.SphereGeometry(shape.r!, 64, 32, 0, 2 * Math.PI, Math.PI / 2, Math.PI / 2).applyMatrix4(Z_UP),
        shape.r!, { glass: true, thin: true });
    case "ellipsoid": {
      const [a, b, c] = shape.axes!;
      return make(() => checkered(new THREE.SphereGeometry(1, many ? 16 : 40, many ? 10 : 28).applyMatrix4(Z_UP)
        .scale(a, b, c)), Math.max(a, b, c));
    }
    case "disc":
      return make(() => new THREE.CylinderGeometry(shape.r!, shape.r!, 0.2 * shape.r!, round).applyMatrix4(Z_UP), shape.r!,
        { creases: true });
    case "box": {
      const s = shape.size!;
      return make(() => new THREE.BoxGeometry(s[0], s[1], s[2]), Math.hypot(s[0], s[1], s[2]) / 2, { creases: true });
    }
    case "cylinder":
      return make(() => checkered(new THREE.CylinderGeometry(shape.r!, shape.r!, shape.length!, round).applyMatrix4(Z_UP)),
        Math.hypot(shape.r!, shape.length! / 2), { creases: true });
    case "cone":
      return make(() => new THREE.ConeGeometry(shape.r!, shape.length!, round).translate(0, shape.length! / 2, 0).applyMatrix4(Z_UP),
        Math.max(shape.r!, shape.length!), { creases: true });
    case "capsule":
      return make(() => new THREE.CapsuleGeometry(shape.r!, shape.length!, many ? 4 : 10, round).applyMatrix4(Z_UP),
        shape.r! + shape.length! / 2);
    case "torus":
      return make(() => new THREE.TorusGeometry(shape.r!, shape.section!, many ? 8 : 20, many ? 24 : 64), shape.r! + shape.section!);
    case "ring": {
      // a coin: the rim is what touches, the faces show how it turns
      const t = 0.04 * shape.r!;
      return make(() => checkered(new THREE.CylinderGeometry(shape.r!, shape.r!, t, round * 2).applyMatrix4(Z_UP)), shape.r!,
        { creases: true });
    }
    case "mesh":
      return make(() => meshGeometry(shape), Math.max(...shape.vertices!.map(distance)), { thin: shape.thin, creases: !shape.thin });
    case "tube": {
      const points = shape.points!.map((p) => new THREE.Vector3(p[0], p[1], p[2]));
      const curve = new THREE.CatmullRomCurve3(shape.closed ? points.slice(0, -1) : points, shape.closed);
      return make(() => new THREE.TubeGeometry(curve, 2 * points.length, shape.r!, 10, shape.closed),
        Math.max(...shape.points!.map(distance)), { glass: shape.inside, thin: shape.inside });
    }
    case "edge":
      return make(() => capsules(shape.points!, 0.006 * size), Math.max(...shape.points!.map(distance)));
    case "link":
      return make(() => {
        const parts = [capsules(shape.points!, shape.r!)];
        const tip = shape.points![shape.points!.length - 1];
        if (shape.bob) parts.push(new THREE.SphereGeometry(shape.bob, 24, 16).translate(tip[0], tip[1], tip[2]).toNonIndexed());
        return mergeGeometries(parts)!;
      }, Math.max(...shape.points!.map(distance)) + (shape.bob ?? 0));
    case "plane": {
      const n = new THREE.Vector3(...(shape.normal as [number, number, number])).normalize();
      const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), n);
      const m = new THREE.Matrix4().compose(new THREE.Vector3(...(shape.at as [number, number, number])), turn, new THREE.Vector3(1, 1, 1));
      return [{
        key: "plane", local: m,
        geometry: () => plainColour(new THREE.PlaneGeometry((many ? 2 * FAR : 2.4) * wide, (many ? 2 * FAR : 2.4) * wide)),
        tint: "ground", reach: -1, thin: true,
      }];
    }
    default:
      return [];
  }
}

function meshGeometry(shape: Shape): THREE.BufferGeometry {
  const g = new THREE.BufferGeometry();
  const flat: number[] = [];
  for (const face of shape.faces!) for (const k of face) flat.push(...shape.vertices![k]);
  g.setAttribute("position", new THREE.Float32BufferAttribute(flat, 3));
  g.computeVertexNormals();
  return g;
}

function capsules(points: number[][], r: number): THREE.BufferGeometry {
  const parts: THREE.BufferGeometry[] = [];
  for (let k = 0; k + 1 < points.length; k++) {
    const a = new THREE.Vector3(...(points[k] as [number, number, number]));
    const b = new THREE.Vector3(...(points[k + 1] as [number, number, number]));
    const length = a.distanceTo(b);
    const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 1, 0), b.clone().sub(a).normalize());
    const m = new THREE.Matrix4().compose(a.clone().add(b).multiplyScalar(0.5), turn, new THREE.Vector3(1, 1, 1));
    parts.push(new THREE.CapsuleGeometry(r, length, 6, 16).applyMatrix4(m).toNonIndexed());
  }
  return mergeGeometries(parts)!;
}
