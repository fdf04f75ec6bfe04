// The camera: orbit, pan and zoom in space, pan and zoom in the plane; follow; saved views.
import * as THREE from "three";
import { OrbitControls } from "three/examples/jsm/controls/OrbitControls.js";
import type { SceneView } from "./scene";

interface Saved { position: number[]; target: number[]; zoom: number; follow: number; half: number; }

// the views of an earlier visit; what is stored may be anything
function readViews(key: string): Map<number, Saved> {
  try {
    const found = JSON.parse(localStorage.getItem(key) ?? "[]") as [number, Saved][];
    const good = ([slot, v]: [number, Saved]) => slot >= 1 && slot <= 4 && [v.zoom, v.follow, v.half, ...v.position, ...v.target].every(Number.isFinite)
      && v.position.length === 3 && v.target.length === 3 && v.zoom > 0 && v.half > 0 && v.follow >= 0;
    return new Map(found.filter(good));
  } catch { return new Map(); }
}

const LONG = 8; // ways in sizes of the model from which on the camera goes along
const BAR = 92; // pixels from the top that the bar of colours of a plan ends at
const RIM = 0.5 - 0.5 / 1.24; // part of the height that stays free above what fills it
export const SHEET = 0.4; // part of the width that a plan beside bodies takes

export class Cameraman {
  readonly camera: THREE.OrthographicCamera | THREE.PerspectiveCamera;
  readonly controls: OrbitControls;
  follow = 0; // pose that stays in the middle, 0 none
  head = 0; // pixels from the top that title and clock end at
  private readonly anchor = new THREE.Vector3();
  private width = 1;
  private height = 1;
  private half = 1;
  private readonly saved: Map<number, Saved>;
  private readonly key: string;

  constructor(private view: SceneView, canvas: HTMLCanvasElement, flat: boolean) {
    this.camera = flat ? new THREE.OrthographicCamera(-1, 1, 1, -1, -1e4, 1e4) : new THREE.PerspectiveCamera(38, 1, 0.01, 1000);
    const g = view.data.head.gravity;
    if (!flat) {
      const up = g && Math.hypot(...g) > 0 ? new THREE.Vector3(-g[0], -g[1], -(g[2] ?? 0)) : new THREE.Vector3(0, 0, 1);
      // gravity on a slope still looks best with an axis of the world upright
      const k = [up.x, up.y, up.z].reduce((best, v, i, all) => (Math.abs(v) > Math.abs(all[best]) ? i : best), 0);
      this.camera.up.set(+(k === 0), +(k === 1), +(k === 2)).multiplyScalar(Math.sign(up.getComponent(k)) || 1);
    }
    this.key = `cornerlaw views: ${view.data.head.title}, ${view.data.head.poses.length}`;
    this.saved = readViews(this.key);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.zoomToCursor = flat;
    if (flat) {
      this.controls.enableRotate = false;
      this.controls.mouseButtons = { LEFT: THREE.MOUSE.PAN, MIDDLE: THREE.MOUSE.DOLLY, RIGHT: THREE.MOUSE.PAN };
      this.controls.touches = { ONE: THREE.TOUCH.PAN, TWO: THREE.TOUCH.DOLLY_PAN };
    }
  }

  use(view: SceneView): void { this.view = view; }

  resize(width: number, height: number): void {
    this.width = width;
    this.height = height;
    if (this.camera instanceof THREE.OrthographicCamera) {
      const ratio = width / height;
      this.camera.left = -this.half * ratio;
      this.camera.right = this.half * ratio;
      this.camera.top = this.half;
      this.camera.bottom = -this.half;
    } else this.camera.aspect = width / height;
    this.camera.updateProjectionMatrix();
  }

  // show the whole motion, or what is there at the start if the way is long
  fit(): void {
    const near = Math.max(this.view.extentFirst, this.view.data.head.size);
    const chosen = this.view.data.poseOf.get(this.view.data.head.follow) ?? 0;
    const far = chosen > 0 || (!this.view.landmarks && this.view.extent > LONG * near);
    const box = far ? this.view.boxFirst : this.view.box;
    const size = box.getSize(new THREE.Vector3()), middle = box.getCenter(new THREE.Vector3());
    // a body that flies off by itself is shown with some of what it flies past
    const wide = far && !chosen ? 2.2 : 1;
    this.setFollow(far ? chosen || 1 : 0);
    this.controls.target.copy(middle);
    if (this.camera instanceof THREE.OrthographicCamera) {
      const ratio = this.width / this.height, least = 0.6 * this.view.data.head.size;
      // the plan of a network lies in the left part, beside the bodies
      const left = this.view.data.head.plan && this.view.data.head.bodies.length ? SHEET : 0;
      // the colours of a plan are explained above it; other things end below title and clock
      const titled = Math.max(0, (this.head / this.height - RIM) / (1 - RIM));
      const above = Math.min(0.35, this.view.data.head.plan ? BAR / this.height : titled);
      this.half = wide * 0.62 * Math.max(size.y / (1 - above), size.x / (ratio * (1 - left)), least);
      this.camera.zoom = 1;
      middle.x -= left * this.half * ratio;
      middle.y += above * this.half;
      this.camera.position.set(middle.x, middle.y, 10);
      this.controls.target.copy(middle);
      this.resize(this.width, this.height);
    } else {
      const up = this.camera.up, side = Math.abs(up.z) > 0.5 ? new THREE.Vector3(0.62, -1, 0) : new THREE.Vector3(0.62, 0, 1);
      const away = side.normalize().addScaledVector(up, 0.42).normalize();
      const distance = wide * this.farEnough(this.camera, box, middle, away);
      this.camera.position.copy(middle).addScaledVector(away, distance);
      this.camera.near = distance / 500;
      this.camera.far = 60 * distance;
      this.camera.updateProjectionMatrix();
    }
    this.place();
    this.controls.update();
  }

  // the least distance from which all corners of a box are in sight
  private farEnough(camera: THREE.PerspectiveCamera, box: THREE.Box3, middle: THREE.Vector3, away: THREE.Vector3): number {
    const right = new THREE.Vector3().crossVectors(camera.up, away).normalize(), up = new THREE.Vector3().crossVectors(away, right);
    const tall = Math.tan((camera.fov * Math.PI) / 360), wide = tall * camera.aspect, corner = new THREE.Vector3();
    let distance = 0.8 * this.view.data.head.size;
    for (let k = 0; k < 8; k++) {
      corner.set(k & 1 ? box.max.x : box.min.x, k & 2 ? box.max.y : box.min.y, k & 4 ? box.max.z : box.min.z).sub(middle);
      const reach = Math.max(Math.abs(corner.dot(up)) / tall, Math.abs(corner.dot(right)) / wide);
      distance = Math.max(distance, 1.12 * reach + corner.dot(away));
    }
    return distance;
  }

  setFollow(pose: number): void { this.follow = pose; this.place(); }

  private place(): void {
    if (this.follow) this.anchor.setFromMatrixPosition(this.view.poseMatrix(this.follow));
  }

  // move with the body that is followed
  update(): void {
    if (this.follow) {
      const now = new THREE.Vector3().setFromMatrixPosition(this.view.poseMatrix(this.follow));
      const shift = now.clone().sub(this.anchor);
      this.camera.position.add(shift);
      this.controls.target.add(shift);
      this.anchor.copy(now);
    }
    this.controls.update();
  }

  centreOn(pose: number): void {
    const p = new THREE.Vector3().setFromMatrixPosition(this.view.poseMatrix(pose));
    const shift = p.clone().sub(this.controls.target);
    this.camera.position.add(shift);
    this.controls.target.add(shift);
  }

  // length of a pixel at a point
  pixel = (p: THREE.Vector3): number => {
    if (this.camera instanceof THREE.OrthographicCamera) return (2 * this.half) / this.camera.zoom / this.height;
    const d = this.camera.position.distanceTo(p);
    return (2 * d * Math.tan((this.camera.fov * Math.PI) / 360)) / this.height;
  };

  save(slot: number): void {
    this.saved.set(slot, {
      position: this.camera.position.toArray(), target: this.controls.target.toArray(), zoom: this.camera.zoom, follow: this.follow, half: this.half,
    });
    // a browser that keeps nothing for a page forgets its views when it closes
    try { localStorage.setItem(this.key, JSON.stringify([...this.saved])); } catch { return; }
  }

  slots(): number[] { return [...this.saved.keys()]; }

  recall(slot: number): boolean {
    const view = this.saved.get(slot);
    if (!view) return false;
    this.camera.position.fromArray(view.position);
    this.controls.target.fromArray(view.target);
    this.camera.zoom = view.zoom;
    this.half = view.half;
    this.resize(this.width, this.height);
    this.setFollow(Math.min(view.follow, this.view.data.head.poses.length - 1));
    this.controls.update();
    return true;
  }
}
