// Springs as zigzags or coils, dampers as pistons, ropes as lines; slack ropes hang through.
import * as THREE from "three";

type V = THREE.Vector3;

export function linePoints(kind: string, places: V[], size: number, flat: boolean, slack: boolean, out: number[]): void {
  for (let k = 0; k + 1 < places.length; k++) {
    const a = places[k], b = places[k + 1], chain: V[] = [];
    if (kind === "spring") chain.push(...coil(a, b, size, flat));
    else if (kind === "damper") { damper(a, b, size, out); continue; }
    else if (slack) chain.push(...hanging(a, b, flat));
    else chain.push(a, b);
    for (let i = 0; i + 1 < chain.length; i++) out.push(...chain[i].toArray(), ...chain[i + 1].toArray());
  }
}

function sides(a: V, b: V): [V, V, V] {
  const along = b.clone().sub(a);
  const dir = along.lengthSq() > 0 ? along.clone().normalize() : new THREE.Vector3(1, 0, 0);
  const help = Math.abs(dir.z) < 0.9 ? new THREE.Vector3(0, 0, 1) : new THREE.Vector3(1, 0, 0);
  const n = help.cross(dir).normalize();
  return [along, n, dir.clone().cross(n)];
}

function coil(a: V, b: V, size: number, flat: boolean): V[] {
  const [along, n, m] = sides(a, b), r = 0.045 * size, turns = 8;
  const points = [a.clone()];
  const steps = flat ? 2 * turns : 14 * turns;
  for (let k = 0; k <= steps; k++) {
    const s = 0.1 + (0.8 * k) / steps, p = a.clone().addScaledVector(along, s);
    if (flat) { if (k > 0 && k < steps) p.addScaledVector(n, k % 2 ? r : -r); }
    else { const w = (2 * Math.PI * turns * k) / steps; p.addScaledVector(n, r * Math.cos(w)).addScaledVector(m, r * Math.sin(w)); }
    points.push(p);
  }
  points.push(b.clone());
  return points;
}

function damper(a: V, b: V, size: number, out: number[]): void {
  const [along, n] = sides(a, b), r = 0.035 * size;
  const at = (s: number, w: number) => a.clone().addScaledVector(along, s).addScaledVector(n, w * r);
  const strokes: [V, V][] = [
    [a, at(0.35, 0)], [at(0.35, -1), at(0.35, 1)], [at(0.35, -1), at(0.65, -1)], [at(0.35, 1), at(0.65, 1)],
    [at(0.55, -0.7), at(0.55, 0.7)], [at(0.55, 0), b],
  ];
  for (const [p, q] of strokes) out.push(...p.toArray(), ...q.toArray());
}

function hanging(a: V, b: V, flat: boolean): V[] {
  const sag = 0.15 * a.distanceTo(b);
  return Array.from({ length: 13 }, (_, k) => {
    const s = k / 12, p = a.clone().lerp(b, s), d = 4 * s * (1 - s) * sag;
    return flat ? p.setY(p.y - d) : p.setZ(p.z - d);
  });
}
