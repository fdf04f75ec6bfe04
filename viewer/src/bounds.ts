// Where the bodies of a run are, so that the camera and unbounded grounds can be made to fit.
import * as THREE from "three";
import type { RunData, Shape } from "./data";
import { flatPieces, matrixOf, solidPieces } from "./geometry";

export interface Bounds {
  box: THREE.Box3; // of the whole motion
  first: THREE.Box3; // at the start
  landmarks: boolean; // something of finite size stands still
  reach: Float64Array; // radius of every pose about its origin
  common: number; // radius of a body of middle size
}

const FRAMES = 200; // that are looked at
const MANY = 400; // poses from which on a ball around each is enough

export function measure(data: RunData, flat: boolean): Bounds {
  const { head } = data, reach = new Float64Array(head.poses.length);
  const own = head.poses.map(() => new THREE.Box3()), box = new THREE.Box3(), first = new THREE.Box3();
  let landmarks = false;
  for (const body of head.bodies)
    for (const shape of body.shapes) {
      const pieces = (flat ? flatPieces : solidPieces)(shape, head.size, 1, body.pose === 0, true);
      const far = Math.max(0, ...pieces.map((piece) => piece.reach));
      if (!(far > 0)) continue; // a plane has no end
      boxOf(shape, far, body.pose === 0 ? box : own[body.pose]);
      if (body.pose === 0) landmarks = true;
      reach[body.pose] = Math.max(reach[body.pose], far);
    }
  reach[0] = 0;
  const reaches = [...reach].filter((r) => r > 0).sort((a, b) => a - b);
  const least = 0.02 * head.size, step = Math.max(1, Math.floor(data.count / FRAMES));
  for (let f = 0; f < data.count; f += step)
    for (let k = 1; k < head.poses.length; k++) expand(data, flat, k, f, own[k], Math.max(reach[k], least), f === 0 ? [box, first] : [box]);
  const anchors = [...head.lines.flatMap((l) => l.points), ...head.joints.flatMap((j) => [j.first, j.second])];
  for (const [name, at] of anchors) if (name === "world") box.expandByPoint(new THREE.Vector3(at[0], at[1], at[2] ?? 0));
  // a plan without bodies is the scene
  if (box.isEmpty()) for (const node of head.plan?.nodes ?? []) {
    box.expandByPoint(new THREE.Vector3(node.at[0] - 0.5, node.at[1] - 0.45, 0));
    box.expandByPoint(new THREE.Vector3(node.at[0] + 0.5, node.at[1] + 0.45, 0));
  }
  if (box.isEmpty()) box.set(new THREE.Vector3(-1, -1, 0), new THREE.Vector3(1, 1, 0));
  if (first.isEmpty()) first.copy(box);
  if (flat) for (const b of [box, first]) b.min.z = b.max.z = 0;
  return { box, first, landmarks, reach, common: reaches.length ? reaches[reaches.length >> 1] : head.size };
}

// a shape in the axes of its body; `far` is its radius about the origin of these
function boxOf(shape: Shape, far: number, out: THREE.Box3): void {
  const p = new THREE.Vector3(), around = (x: number, y: number, z: number, r: number) => {
    out.expandByPoint(p.set(x - r, y - r, z - r));
    out.expandByPoint(p.set(x + r, y + r, z + r));
  };
  const at = shape.at ?? [0, 0, 0], m = matrixOf(shape);
  if (shape.points) {
    for (const q of shape.points) around(q[0], q[1], q[2] ?? 0, shape.r ?? 0);
    const tip = shape.points[shape.points.length - 1];
    if (shape.bob) around(tip[0], tip[1], tip[2] ?? 0, shape.bob);
  } else if (shape.vertices) for (const q of shape.vertices) out.expandByPoint(p.set(q[0], q[1], q[2]).applyMatrix4(m));
  else if (shape.size) {
    const [a, b, c] = [shape.size[0] / 2, shape.size[1] / 2, (shape.size[2] ?? 0) / 2];
    for (let k = 0; k < 8; k++) out.expandByPoint(p.set(k & 1 ? a : -a, k & 2 ? b : -b, k & 4 ? c : -c).applyMatrix4(m));
  } else around(at[0], at[1], at[2] ?? 0, far - Math.hypot(at[0], at[1], at[2] ?? 0));
}

const place = new THREE.Vector3(), turn = new THREE.Quaternion(), corner = new THREE.Vector3();

function expand(data: RunData, flat: boolean, pose: number, frame: number, own: THREE.Box3, reach: number, boxes: THREE.Box3[]): void {
  const F = data.count, base = pose * data.width * F + frame, at = (k: number) => data.poses[base + k * F];
  place.set(at(0), at(1), flat ? 0 : at(2));
  const ball = own.isEmpty() || data.head.poses.length > MANY;
  if (!ball) { if (flat) turn.set(0, 0, Math.sin(at(2) / 2), Math.cos(at(2) / 2)); else turn.set(at(4), at(5), at(6), at(3)); }
  for (let k = 0; k < (ball ? 2 : 8); k++) {
    if (ball) corner.copy(place).addScalar(k ? reach : -reach);
    else corner.set(k & 1 ? own.max.x : own.min.x, k & 2 ? own.max.y : own.min.y, k & 4 ? own.max.z : own.min.z).applyQuaternion(turn).add(place);
    if (flat) corner.z = 0;
    for (const box of boxes) box.expandByPoint(corner);
  }
}
