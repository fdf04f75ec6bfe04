// The three.js scene of a run: built once, moved to any time.
import * as THREE from "three";
import { LineSegments2 } from "three/examples/jsm/lines/LineSegments2.js";
import { LineSegmentsGeometry } from "three/examples/jsm/lines/LineSegmentsGeometry.js";
import { LineMaterial } from "three/examples/jsm/lines/LineMaterial.js";
import type { Joint, RunData } from "./data";
import { Arrows } from "./arrows";
import { measure } from "./bounds";
import { Crowd } from "./crowd";
import { FAR, Floor } from "./floor";
import { flatPieces, solidPieces, type Piece } from "./geometry";
import { linePoints } from "./lines";
import { onScreen, plainCrowd, plainLine } from "./plain";
import { Balls, Dots, type Ball } from "./points";
import type { Look } from "./theme";

export interface Options {
  contacts: boolean; open: boolean; forces: boolean; loads: boolean; jointForces: boolean;
  flashes: boolean; joints: boolean; frames: boolean; trails: boolean; names: boolean;
  arrowScale: number;
}

interface Group {
  mesh: Crowd;
  poses: number[];
  locals: THREE.Matrix4[];
  tints: { tint: Piece["tint"]; body: number; colour?: number }[];
  moves: boolean;
}

const MANY = 200; // shapes beyond which they are drawn with fewer triangles and without edges
const TRAILS = 60;
const ORDER = { ground: 0, groundEdge: 1, fill: 2, mark: 3, edge: 4 };

export class SceneView {
  readonly scene = new THREE.Scene();
  readonly centre = new THREE.Vector3();
  readonly extent: number; // of the whole motion
  readonly extentFirst: number; // at the start
  private readonly common: number; // radius of a body of middle size
  readonly landmarks: boolean; // something of finite size stands still
  readonly box: THREE.Box3; // of the whole motion
  readonly boxFirst: THREE.Box3;
  private groups: Group[] = [];
  private creases: { line: THREE.LineSegments; pose: number; local: THREE.Matrix4 }[] = [];
  private contacts!: Dots;
  readonly shown = [0, 0, 0, 0]; // contacts drawn last, by their state
  private balls: Balls | null = null;
  private floor: Floor | null = null;
  private readonly groundColour = new THREE.Color();
  private flashes!: Crowd;
  private pins!: Crowd;
  private pinRims!: Crowd;
  private arrows!: Arrows;
  private lines!: LineSegments2;
  private lineMaterial = new LineMaterial({ linewidth: 2 });
  private axes!: LineSegments2;
  private axesMaterial = new LineMaterial({ linewidth: 2, vertexColors: true });
  private trails: { line: THREE.Line; pose: number }[] = [];
  private shownTrail = 0; // the only one that is drawn, 0 all
  private readonly matrices: THREE.Matrix4[] = [];
  // made once: a picture makes no objects of its own for bodies, contacts and arrows
  private readonly scratch = {
    p: new THREE.Vector3(), v: new THREE.Vector3(), q: new THREE.Quaternion(), m: new THREE.Matrix4(), one: new THREE.Vector3(1, 1, 1),
  };
  private readonly impacts: RunData["head"]["events"];
  private forceUnit = 0;
  private impulseUnit = 0;
  private jointUnit = 0;
  readonly flat: boolean;

  constructor(readonly data: RunData, private look: Look) {
    const { head } = data;
    this.flat = head.dim === 2;
    this.matrices = head.poses.map(() => new THREE.Matrix4());
    this.impacts = head.events.filter((e) => e.p);
    const { box, first, landmarks, common } = measure(data, this.flat);
    this.box = box;
    this.boxFirst = first;
    this.landmarks = landmarks;
    this.common = common;
    box.getCenter(this.centre);
    this.extent = Math.max(box.getSize(this.scratch.v).length(), 1e-9);
    this.extentFirst = Math.max(first.getSize(this.scratch.v).length(), 1e-9);
    this.build();
    this.units();
    this.paint(look);
  }

  position(pose: number, frame: number, out: THREE.Vector3): THREE.Vector3 {
    const { data } = this, F = data.count, base = pose * data.width * F + frame;
    return out.set(data.poses[base], data.poses[base + F], this.flat ? 0 : data.poses[base + 2 * F]);
  }

  private build(): void {
    const { data } = this, { head } = data;
    const shapes = head.bodies.reduce((n, b) => n + b.shapes.length, 0);
    const many = shapes > MANY, balls: Ball[] = [];
    const groups = new Map<string, { piece: Piece; poses: number[]; locals: THREE.Matrix4[]; tints: Group["tints"]; turn: number }>();
    let turn = 0;
    head.bodies.forEach((body, index) => {
      const ground = body.role === "ground";
      for (const shape of body.shapes) {
        turn++;
        const round = shape.type === (this.flat ? "disc" : "sphere");
        if (many && round && body.role === "body") {
          const at = new THREE.Vector3(...((shape.at ?? [0, 0, 0]) as [number, number, number]));
          balls.push({ pose: body.pose, body: index, at, r: shape.r!, colour: shape.colour });
          continue;
        }
        for (const piece of (this.flat ? flatPieces : solidPieces)(shape, head.size, this.extent, ground, many)) {
          let group = groups.get(piece.key);
          if (!group) groups.set(piece.key, (group = { piece, turn, poses: [], locals: [], tints: [] }));
          group.poses.push(body.pose);
          group.locals.push(piece.local);
          group.tints.push({ tint: piece.tint, body: index, colour: shape.colour });
        }
      }
    });
    if (balls.length) this.scene.add((this.balls = new Balls(balls, this.flat)));
    for (const g of groups.values()) {
      const geometry = g.piece.geometry();
      // a plane is ground on one side only: seen from behind it must not hide what is before it
      const side = this.flat || (g.piece.thin && g.piece.key !== "plane") ? THREE.DoubleSide : THREE.FrontSide;
      const glass = g.piece.glass ? { transparent: true, opacity: 0.28, depthWrite: false } : {};
      const material = this.flat
        ? plainCrowd({ side, depthTest: false, transparent: true, forceSinglePass: true })
        // light on every pixel is what software pays most for
        : many
          ? plainCrowd({ side, lit: g.piece.key !== "plane", ...glass })
          : new THREE.MeshLambertMaterial({ side, ...glass });
      const mesh = new Crowd(geometry, material, g.poses.length);
      const moves = g.poses.some((p) => p > 0);
      // in the plane later parts cover earlier ones, each with its own edge
      const { tint } = g.piece, fixed = tint === "ground" || tint === "groundEdge";
      if (this.flat) mesh.renderOrder = fixed ? ORDER[tint] : 2 + (6 * (g.turn + ORDER[tint] / 8)) / (shapes + 1);
      else if (g.piece.tint === "ground") mesh.renderOrder = -1;
      if (g.piece.key === "plane" && !this.flat) { (material as THREE.Material).polygonOffset = true; (material as THREE.Material).polygonOffsetFactor = 1; (material as THREE.Material).polygonOffsetUnits = 1; }
      this.scene.add(mesh);
      const group: Group = { mesh, poses: g.poses, locals: g.locals, tints: g.tints, moves };
      this.groups.push(group);
      if (many && !this.flat && g.piece.key === "plane" && g.poses.length === 1 && !moves)
        this.floor = new Floor(mesh, g.locals[0], FAR * this.extent);
      g.poses.forEach((_, k) => mesh.setMatrixAt(k, g.locals[k]));
      if (!this.flat && g.piece.key === "plane")
        g.poses.forEach((pose, k) => this.addGrid(pose, g.locals[k], many && pose === 0));
      if (!this.flat && g.piece.creases && !many) {
        const edges = new THREE.EdgesGeometry(geometry, 25);
        g.poses.forEach((pose, k) => {
          const line = new THREE.LineSegments(edges, plainLine({ transparent: true, opacity: 0.55 }));
          line.matrixAutoUpdate = false;
          line.frustumCulled = false;
          line.userData.edge = true;
          this.scene.add(line);
          this.creases.push({ line, pose, local: g.locals[k] });
        });
      }
    }
    this.buildMarkers(many);
    this.buildLines();
    if (!this.flat) {
      this.scene.add(new THREE.HemisphereLight(0xffffff, 0xb4bac4, 2.2));
      const sun = new THREE.DirectionalLight(0xffffff, 1.7);
      sun.position.set(1.6, -1.1, 2.2);
      this.scene.add(sun);
    }
  }

  private addGrid(pose: number, local: THREE.Matrix4, wide: boolean): void {
    const raw = this.extent / 12, power = 10 ** Math.floor(Math.log10(raw));
    const step = power * ([1, 2, 5, 10].find((m) => m * power >= raw) ?? 10);
    const half = 1.2 * this.extent, points: number[] = [], count = Math.floor(half / step);
    // at whole steps from the middle of the plane; on a floor without end, around what moves
    const middle = this.centre.clone().applyMatrix4(local.clone().invert());
    const x0 = wide ? Math.round(middle.x / step) * step : 0, y0 = wide ? Math.round(middle.y / step) * step : 0;
    for (let k = -count; k <= count; k++) {
      points.push(x0 + k * step, y0 - half, 0, x0 + k * step, y0 + half, 0);
      points.push(x0 - half, y0 + k * step, 0, x0 + half, y0 + k * step, 0);
    }
    const g = new THREE.BufferGeometry();
    g.setAttribute("position", new THREE.Float32BufferAttribute(points, 3));
    const line = new THREE.LineSegments(g, plainLine());
    line.matrixAutoUpdate = false;
    line.frustumCulled = false;
    line.userData.grid = true;
    this.scene.add(line);
    this.creases.push({ line, pose, local });
  }

  private buildMarkers(many: boolean): void {
    const { data } = this, { head } = data;
    let most = 0;
    for (let f = 0; f < data.count; f++) most = Math.max(most, data.frameStart[f + 1] - data.frameStart[f]);
    most += head.contacts.filter((c) => c.body !== undefined).length;
    this.contacts = new Dots(most, 20);
    this.scene.add(this.contacts);
    this.flashes = this.instances(new THREE.RingGeometry(0.86, 1, 40), 64, 22);
    const revolute = head.joints.length;
    this.pinRims = this.instances(this.flat ? new THREE.CircleGeometry(1, 24) : new THREE.SphereGeometry(1, 16, 12), revolute, 10);
    this.pins = this.instances(this.flat ? new THREE.CircleGeometry(0.62, 24) : new THREE.SphereGeometry(0.01, 4, 3), revolute, 11);
    this.arrows = new Arrows(this.scene, most + head.loads.length + head.joint_forces.length + 64, this.flat, many);
    if (head.poses.length <= TRAILS + 1) for (let k = 1; k < head.poses.length; k++) this.addTrail(k);
  }

  private addTrail(pose: number): void {
    const { data } = this, g = new THREE.BufferGeometry(), points = new Float32Array(3 * data.count), p = new THREE.Vector3();
    for (let f = 0; f < data.count; f++) this.position(pose, f, p).toArray(points, 3 * f);
    g.setAttribute("position", new THREE.BufferAttribute(points, 3));
    const line = new THREE.Line(g, plainLine({ depthTest: !this.flat }));
    line.frustumCulled = false;
    line.renderOrder = 1;
    this.scene.add(line);
    this.trails.push({ line, pose });
    this.paintTrail(line, pose);
  }

  // of many bodies only the one that is followed has a trail
  followed(pose: number): void {
    if (pose && this.data.head.poses.length > TRAILS + 1 && !this.trails.some((t) => t.pose === pose)) this.addTrail(pose);
    this.shownTrail = this.data.head.poses.length > TRAILS + 1 ? pose : 0;
  }

  // how many trails are drawn, for scripts
  get trailsShown(): number { return this.trails.filter(({ line }) => line.visible).length; }

  private instances(geometry: THREE.BufferGeometry, count: number, order: number): Crowd {
    const material = plainCrowd({ side: THREE.DoubleSide, depthTest: false, transparent: true, forceSinglePass: true });
    const mesh = new Crowd(geometry, material, Math.max(1, count));
    mesh.count = 0;
    mesh.renderOrder = order;
    this.scene.add(mesh);
    return mesh;
  }

  private buildLines(): void {
    this.lines = new LineSegments2(new LineSegmentsGeometry(), this.lineMaterial);
    this.axes = new LineSegments2(new LineSegmentsGeometry(), this.axesMaterial);
    for (const line of [this.lines, this.axes]) {
      line.frustumCulled = false;
      line.renderOrder = 9;
      line.visible = false;
      this.scene.add(line);
    }
    if (!this.flat) return;
    // opaque things are drawn before all that is not, such as the ground of the plane; springs and
    // ropes lie over it and under the bodies, frames over all
    for (const material of [this.lineMaterial, this.axesMaterial]) {
      material.depthTest = false;
      material.transparent = true;
    }
    this.lines.renderOrder = 1.5;
  }

  // lengths of arrows: common forces are about half as long as the model, rare ones are cut
  private units(): void {
    const middle = (list: number[]) => {
      const sorted = list.filter((x) => x > 0).sort((a, b) => a - b);
      return sorted.length ? sorted[Math.floor(0.8 * (sorted.length - 1))] : 0;
    };
    const { data } = this, n = data.samples, sizes: number[] = [];
    const step = Math.max(1, Math.floor(n / 20000));
    for (let k = 0; k < n; k += step) sizes.push(Math.hypot(data.force[k], data.force[n + k], data.force[2 * n + k]));
    const strong = (array: Float32Array) => {
      const found: number[] = [], F = data.count;
      for (let row = 0; row + 3 <= array.length / F; row += 3)
        for (let f = 0; f < F; f += 7) found.push(Math.hypot(array[row * F + f], array[(row + 1) * F + f], array[(row + 2) * F + f]));
      return middle(found);
    };
    this.forceUnit = middle(sizes) || strong(data.loads);
    this.jointUnit = strong(data.jointForces);
    this.impulseUnit = Math.max(1e-300, ...this.impacts.map((e) => e.size ?? 0));
  }

  paint(look: Look): void {
    this.look = look;
    const colour = new THREE.Color();
    for (const group of this.groups) {
      group.tints.forEach(({ tint, body, colour: own }, k) => {
        const base = look.body[(own ?? body) % look.body.length];
        colour.set(
          tint === "ground" ? look.ground : tint === "groundEdge" ? look.groundEdge : tint === "edge" ? look.edge : base,
        );
        if (tint === "mark") colour.multiplyScalar(0.72);
        if (tint === "ground" && !this.flat && look.dark) colour.multiplyScalar(1.3);
        group.mesh.setColorAt(k, colour);
      });
      group.mesh.commit();
    }
    this.groundColour.set(look.ground).multiplyScalar(look.dark ? 1.3 : 1);
    this.balls?.paint((ball) => look.body[(ball.colour ?? ball.body) % look.body.length], look.edge);
    for (const { line } of this.creases) this.paintLine(line, line.userData.grid ? look.gridStrong : look.edge);
    for (const { line, pose } of this.trails) this.paintTrail(line, pose);
    this.lineMaterial.color.set(look.line);
  }

  private paintLine(line: THREE.Line, hex: THREE.ColorRepresentation): void {
    onScreen((line.material as THREE.ShaderMaterial).uniforms.tint.value as THREE.Color, hex);
  }

  private paintTrail(line: THREE.Line, pose: number): void { this.paintLine(line, this.look.body[this.bodyOf(pose) % this.look.body.length]); }

  private bodyOf(pose: number): number {
    return Math.max(0, this.data.head.bodies.findIndex((b) => b.pose === pose));
  }

  private ratio = 1; // pixels of the picture per pixel of the page

  resize(width: number, height: number, ratio: number): void {
    this.ratio = ratio;
    this.lineMaterial.resolution.set(width, height);
    this.axesMaterial.resolution.set(width, height);
  }

  poseMatrix(pose: number): THREE.Matrix4 { return this.matrices[pose]; }

  // the place of a point of a body at the time shown
  place(name: string, at: number[], out: THREE.Vector3): THREE.Vector3 | null {
    const pose = this.data.poseOf.get(name);
    if (pose === undefined) return null;
    return out.set(at[0], at[1], at[2] ?? 0).applyMatrix4(this.matrices[pose]);
  }

  private setPoses(frame: number, weight: number): void {
    const { data } = this, F = data.count, w = data.width, next = Math.min(frame + 1, F - 1);
    const { p, q, one } = this.scratch;
    const at = (base: number) => data.poses[base + frame] * (1 - weight) + data.poses[base + next] * weight;
    for (let k = 1; k < this.matrices.length; k++) {
      const base = k * w * F;
      if (this.flat) {
        this.matrices[k].makeRotationZ(at(base + 2 * F)).setPosition(at(base), at(base + F), 0);
        continue;
      }
      p.set(at(base), at(base + F), at(base + 2 * F));
      let sign = 0;
      for (let c = 3; c < 7; c++) sign += data.poses[base + c * F + frame] * data.poses[base + c * F + next];
      const v = sign < 0 ? 0 : weight; // never through the long way round
      const e = (c: number) => data.poses[base + c * F + frame] * (1 - v) + data.poses[base + c * F + next] * v;
      q.set(e(4), e(5), e(6), e(3)).normalize();
      this.matrices[k].compose(p, q, one);
    }
  }

  // show a time; `span` is how long a flash lasts in seconds of the run
  update(time: number, span: number, options: Options, pixel: (p: THREE.Vector3) => number, camera: THREE.Camera): void {
    const { data } = this;
    const frame = data.frameAt(time), next = Math.min(frame + 1, data.count - 1);
    const gap = data.t[next] - data.t[frame];
    const weight = gap > 0 ? Math.min(1, Math.max(0, (time - data.t[frame]) / gap)) : 0;
    this.setPoses(frame, weight);
    const { m } = this.scratch;
    for (const group of this.groups) {
      if (!group.moves) continue;
      for (let k = 0; k < group.poses.length; k++)
        group.mesh.setMatrixAt(k, m.multiplyMatrices(this.matrices[group.poses[k]], group.locals[k]));
      group.mesh.commit();
    }
    for (const { line, pose, local } of this.creases) {
      line.matrix.multiplyMatrices(this.matrices[pose], local);
      // the plane itself is not seen from behind, so its grid must not be
      if (line.userData.grid) line.visible = this.before(line.matrix, camera);
    }
    for (const { line, pose } of this.trails) { line.visible = options.trails && (!this.shownTrail || pose === this.shownTrail); line.geometry.setDrawRange(0, frame + 1); }
    this.balls?.move(this.matrices);
    this.floor?.show(this.scene, camera, this.groundColour);
    this.arrows.begin(camera);
    this.updateContacts(frame, options, pixel);
    this.updateForces(frame, options);
    this.updateFlashes(time, span, options, pixel, camera);
    this.arrows.end();
    this.updateLines(frame, options);
    this.updateJoints(options, pixel);
  }

  private before(plane: THREE.Matrix4, camera: THREE.Camera): boolean {
    const e = plane.elements, { x, y, z } = camera.position;
    return (x - e[12]) * e[8] + (y - e[13]) * e[9] + (z - e[14]) * e[10] > 0;
  }

  private updateContacts(frame: number, options: Options, pixel: (p: THREE.Vector3) => number): void {
    const { data, look } = this, n = data.samples, F = data.count;
    const { p, v } = this.scratch;
    // ten pixels, but small against the bodies that touch
    this.shown.fill(0);
    const dot = (state: number) => {
      const wide = Math.min(10, Math.max(3, (0.5 * this.common) / pixel(p)));
      if (this.contacts.put(p, (state === 0 ? 0.7 : 1) * wide * this.ratio, look.states[state])) this.shown[state]++;
    };
    this.contacts.begin();
    for (let i = data.frameStart[frame]; i < data.frameStart[frame + 1]; i++) {
      const k = data.frameSample[i], state = data.state[data.frameContact[i] * F + frame];
      p.set(data.point[k], data.point[n + k], data.point[2 * n + k]);
      if (options.contacts && (state > 0 || options.open)) dot(state);
      if (options.forces && state > 0 && this.forceUnit > 0) {
        v.set(data.force[k], data.force[n + k], data.force[2 * n + k]);
        this.arrow(p, v, this.forceUnit, options, look.force);
      }
    }
    data.head.contacts.forEach((contact, s) => {
      if (contact.body === undefined) return;
      const state = data.state[s * F + frame];
      if (options.contacts && (state > 0 || options.open) && this.place(contact.body, contact.at!, p)) dot(state);
    });
    this.contacts.end();
  }

  private arrow(p: THREE.Vector3, v: THREE.Vector3, unit: number, options: Options, colour: number): void {
    const size = this.data.head.size, length = Math.min((0.45 * size * v.length()) / unit, 1.6 * size) * options.arrowScale;
    if (length > 0.004 * size) this.arrows.put(p, v.normalize().multiplyScalar(length), (this.flat ? 0.024 : 0.032) * size, colour);
  }

  private updateForces(frame: number, options: Options): void {
    const { data, look } = this, F = data.count, { p, v } = this.scratch;
    const all = (list: { body: string; at: number[] }[], array: Float32Array, unit: number, colour: number) =>
      list.forEach((entry, k) => {
        const base = 3 * k * F + frame;
        v.set(array[base], array[base + F], array[base + 2 * F]);
        if (unit > 0 && this.place(entry.body, entry.at, p)) this.arrow(p, v, unit, options, colour);
      });
    if (options.loads) all(data.head.loads, data.loads, this.forceUnit, look.load);
    if (options.jointForces) all(data.head.joint_forces, data.jointForces, this.jointUnit, look.joint);
  }

  private updateFlashes(time: number, span: number, options: Options, pixel: (p: THREE.Vector3) => number, camera: THREE.Camera): void {
    const { impacts } = this, { p, v, m } = this.scratch;
    let count = 0;
    if (options.flashes) {
      let low = 0, high = impacts.length;
      while (low < high) { const k = (low + high) >> 1; if (impacts[k].t <= time) low = k + 1; else high = k; }
      for (let k = low - 1; k >= 0 && count < 64; k--) {
        const event = impacts[k], age = (time - event.t) / span;
        if (age > 1) break;
        p.set(...event.p!);
        const strength = Math.sqrt(Math.min(1, (event.size ?? 0) / this.impulseUnit));
        const s = pixel(p) * (6 + (6 + 16 * strength) * age);
        m.compose(p, camera.quaternion, v.set(s, s, s));
        this.flashes.setMatrixAt(count, m);
        this.flashes.setHexAt(count++, this.look.flash);
        if (options.forces) {
          v.set(...event.j!).multiplyScalar(1 - age);
          const unit = this.impulseUnit;
          this.arrow(p, v, unit, options, this.look.flash);
        }
      }
    }
    this.flashes.count = count;
    this.flashes.commit();
  }

  private updateLines(frame: number, options: Options): void {
    const { data } = this, points: number[] = [], size = data.head.size;
    for (const line of data.head.lines) {
      const places = line.points.map(([name, at]) => this.place(name, at, new THREE.Vector3()));
      if (places.some((p) => !p)) continue;
      const corner = data.head.contacts.findIndex((c) => c.name === line.name);
      const slack = corner >= 0 && data.state[corner * data.count + frame] === 0;
      linePoints(line.kind, places as THREE.Vector3[], size, this.flat, slack, points);
    }
    if (options.joints) for (const joint of data.head.joints) this.pushAxis(joint, points);
    this.lines.visible = points.length > 0;
    if (points.length) {
      this.lines.geometry.dispose();
      this.lines.geometry = new LineSegmentsGeometry();
      this.lines.geometry.setPositions(points);
    }
    this.axes.visible = options.frames;
    if (options.frames) this.updateAxes(size);
  }

  // rails of joints that slide, axes of those that turn in space
  private pushAxis(joint: Joint, points: number[]): void {
    const slides = joint.kind === "Prismatic", pose = this.data.poseOf.get(joint.first[0]);
    if (!joint.axis || pose === undefined || (this.flat && !slides)) return;
    const fixed = joint.first[0] === "world", { size } = this.data.head;
    const a = new THREE.Vector3();
    if (!this.place(...(slides && fixed ? joint.first : joint.second), a)) return;
    const d = new THREE.Vector3(joint.axis[0], joint.axis[1], joint.axis[2] ?? 0).transformDirection(this.matrices[pose]);
    d.multiplyScalar(slides ? (fixed ? this.extent : 0.3 * size) : 0.09 * size);
    points.push(...a.clone().sub(d).toArray(), ...a.clone().add(d).toArray());
  }

  private updateAxes(size: number): void {
    const points: number[] = [], colours: number[] = [], a = new THREE.Vector3(), m = new THREE.Matrix4();
    const rgb = [[0.84, 0.37, 0], [0, 0.62, 0.45], [0, 0.45, 0.7]];
    const triad = (matrix: THREE.Matrix4) => {
      for (let k = 0; k < (this.flat ? 2 : 3); k++) {
        points.push(...a.setFromMatrixPosition(matrix).toArray());
        points.push(...a.set(+(k === 0), +(k === 1), +(k === 2)).multiplyScalar(0.16 * size).applyMatrix4(matrix).toArray());
        colours.push(...rgb[k], ...rgb[k]);
      }
    };
    this.matrices.forEach(triad);
    for (const frame of this.data.head.frames) {
      const pose = this.data.poseOf.get(frame.body), r = frame.rot;
      if (pose === undefined) continue;
      m.set(r[0], r[1], r[2], 0, r[3], r[4], r[5], 0, r[6], r[7], r[8], 0, 0, 0, 0, 1);
      m.setPosition(frame.at[0], frame.at[1], frame.at[2] ?? 0);
      triad(m.premultiply(this.matrices[pose]));
    }
    this.axes.geometry.dispose();
    this.axes.geometry = new LineSegmentsGeometry();
    this.axes.geometry.setPositions(points);
    this.axes.geometry.setColors(colours);
  }

  private updateJoints(options: Options, pixel: (p: THREE.Vector3) => number): void {
    const { p, m } = this.scratch, { size } = this.data.head, rim = this.flat ? this.look.edge : this.look.joint;
    let count = 0;
    if (options.joints)
      for (const joint of this.data.head.joints) {
        if (["Prismatic", "Weld", "Translation", "FreeJoint", "PlanarJoint"].includes(joint.kind)) continue;
        if (!this.place(...joint.second, p)) continue;
        const s = Math.min(0.016 * size, 9 * pixel(p));
        m.makeScale(s, s, s).setPosition(p);
        this.pinRims.setMatrixAt(count, m);
        this.pinRims.setHexAt(count, rim);
        this.pins.setMatrixAt(count, m);
        this.pins.setHexAt(count++, this.look.pin);
      }
    for (const mesh of [this.pins, this.pinRims]) {
      mesh.count = count;
      mesh.commit();
    }
  }

  dispose(): void {
    this.scene.traverse((item) => {
      if (item instanceof Crowd) { item.free(); return; }
      const mesh = item as THREE.Mesh;
      mesh.geometry?.dispose();
      if (mesh.material) (mesh.material as THREE.Material).dispose();
    });
  }
}
