// Round things that need no triangles: contact dots, and balls or discs when there are many.
//
// A renderer without a graphics card pays for every triangle, and a ball has a hundred. Here it is
// one point whose pixels know where they lie on the ball.
import * as THREE from "three";
import { onScreen } from "./plain";

const DOT_VERTEX = `
attribute vec3 tint;
attribute float size;
varying vec3 vTint;
void main() {
  vTint = tint;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
  gl_PointSize = size;
}`;

const DOT_FRAGMENT = `
varying vec3 vTint;
void main() {
  float r = length(2.0 * gl_PointCoord - 1.0);
  if (r > 1.0) discard;
  gl_FragColor = vec4(vTint, 1.0);
}`;

// what is equal for all pixels of a ball is computed once, at its point
const BALL_VERTEX = `
attribute vec3 tint;
attribute vec4 turn;
attribute float radius;
uniform float height;
uniform mat4 towards; // from view to world
flat varying vec3 vTint;
flat varying vec3 vOwnX; // the axes of the view in those of the ball
flat varying vec3 vOwnY;
flat varying vec3 vOwnZ;
flat varying vec2 vDepth; // of the centre, and the radius
vec3 turnedBack(vec3 v, vec4 q) { return v + 2.0 * cross(q.xyz, cross(q.xyz, v) - q.w * v); }
void main() {
  vec4 seen = modelViewMatrix * vec4(position, 1.0);
  vTint = tint;
  #ifdef FLAT
    vOwnX = turnedBack(vec3(1.0, 0.0, 0.0), turn);
    vOwnY = turnedBack(vec3(0.0, 1.0, 0.0), turn);
  #else
    vOwnX = turnedBack(towards[0].xyz, turn);
    vOwnY = turnedBack(towards[1].xyz, turn);
    vOwnZ = turnedBack(towards[2].xyz, turn);
  #endif
  vDepth = vec2(seen.z, radius);
  gl_Position = projectionMatrix * seen;
  gl_PointSize = max(2.0, radius * projectionMatrix[1][1] * height / gl_Position.w);
}`;

const BALL_FRAGMENT = `
uniform vec3 edge;
uniform vec2 depth; // rows of the projection that make the depth
uniform vec3 sun; // direction of the light as seen
uniform vec3 up;
flat varying vec3 vTint;
flat varying vec3 vOwnX;
flat varying vec3 vOwnY;
flat varying vec3 vOwnZ;
flat varying vec2 vDepth;
void main() {
  vec2 d = vec2(2.0, -2.0) * gl_PointCoord + vec2(-1.0, 1.0);
  float r2 = dot(d, d);
  if (r2 > 1.0) discard;
  #ifdef FLAT
    vec2 own = vOwnX.xy * d.x + vOwnY.xy * d.y;
    float shade = own.x * own.y > 0.0 && r2 < 0.6 ? 0.86 : 1.0;
    gl_FragColor = vec4(r2 > 0.8 ? edge : vTint * shade, 1.0);
  #else
    vec3 n = vec3(d, sqrt(1.0 - r2));
    vec3 own = vOwnX * n.x + vOwnY * n.y + vOwnZ * n.z;
    float shade = own.x * own.y * own.z > 0.0 ? 1.0 : 0.81;
    gl_FragColor = vec4(vTint * (shade * (0.83 + 0.135 * max(0.0, dot(n, sun)) + dot(n, up))), 1.0);
    gl_FragDepth = 0.5 - 0.5 * (depth.x + depth.y / (vDepth.x + vDepth.y * n.z));
  #endif
}`;

function dynamic(g: THREE.BufferGeometry, name: string, size: number, count: number): Float32Array {
  const array = new Float32Array(size * count);
  const attribute = new THREE.BufferAttribute(array, size);
  attribute.setUsage(THREE.DynamicDrawUsage);
  g.setAttribute(name, attribute);
  return array;
}

export class Dots extends THREE.Points {
  private readonly place: Float32Array;
  private readonly tint: Float32Array;
  private readonly size: Float32Array;
  private used = 0;

  constructor(readonly most: number, order: number) {
    const g = new THREE.BufferGeometry(), n = Math.max(1, most);
    const place = dynamic(g, "position", 3, n), tint = dynamic(g, "tint", 3, n), size = dynamic(g, "size", 1, n);
    super(g, new THREE.ShaderMaterial({ vertexShader: DOT_VERTEX, fragmentShader: DOT_FRAGMENT, depthTest: false, transparent: true }));
    this.place = place;
    this.tint = tint;
    this.size = size;
    this.frustumCulled = false;
    this.renderOrder = order;
  }

  begin(): void { this.used = 0; }

  // false where there is no room
  put(p: THREE.Vector3, diameter: number, hex: number): boolean {
    if (this.used >= this.most) return false;
    const { tint, used } = this;
    p.toArray(this.place, 3 * used);
    tint[3 * used] = ((hex >> 16) & 255) / 255;
    tint[3 * used + 1] = ((hex >> 8) & 255) / 255;
    tint[3 * used + 2] = (hex & 255) / 255;
    this.size[this.used++] = diameter;
    return true;
  }

  end(): void {
    this.geometry.setDrawRange(0, this.used);
    this.visible = this.used > 0;
    for (const name of ["position", "tint", "size"]) this.geometry.getAttribute(name).needsUpdate = true;
  }
}

export interface Ball { pose: number; body: number; at: THREE.Vector3; r: number; colour?: number; }

export class Balls extends THREE.Points {
  private readonly place: Float32Array;
  private readonly turn: Float32Array;
  private readonly tint: Float32Array;
  private readonly p = new THREE.Vector3();
  private readonly q = new THREE.Quaternion();

  constructor(private readonly list: Ball[], flat: boolean) {
    const g = new THREE.BufferGeometry(), n = list.length;
    const place = dynamic(g, "position", 3, n), turn = dynamic(g, "turn", 4, n), tint = dynamic(g, "tint", 3, n);
    dynamic(g, "radius", 1, n).set(list.map((b) => b.r));
    super(g, new THREE.ShaderMaterial({
      vertexShader: BALL_VERTEX, fragmentShader: BALL_FRAGMENT, defines: flat ? { FLAT: "" } : {},
      uniforms: {
        height: { value: 1 }, edge: { value: new THREE.Color() }, depth: { value: new THREE.Vector2() },
        towards: { value: new THREE.Matrix4() }, sun: { value: new THREE.Vector3() }, up: { value: new THREE.Vector3() },
      },
      depthTest: !flat, transparent: flat,
    }));
    this.place = place;
    this.turn = turn;
    this.tint = tint;
    this.frustumCulled = false;
    this.renderOrder = flat ? 3 : 0;
    const { uniforms } = this.material as THREE.ShaderMaterial;
    this.onBeforeRender = (renderer, _scene, camera) => {
      uniforms.height.value = renderer.domElement.height;
      uniforms.depth.value.set(camera.projectionMatrix.elements[10], camera.projectionMatrix.elements[14]);
      uniforms.towards.value.copy(camera.matrixWorld);
      uniforms.sun.value.set(0.55, -0.38, 0.75).transformDirection(camera.matrixWorldInverse);
      uniforms.up.value.set(0, 0, 1).transformDirection(camera.matrixWorldInverse).multiplyScalar(0.055);
    };
  }

  paint(colourOf: (ball: Ball) => number, edge: number): void {
    const colour = new THREE.Color();
    this.list.forEach((ball, k) => onScreen(colour, colourOf(ball)).toArray(this.tint, 3 * k));
    onScreen((this.material as THREE.ShaderMaterial).uniforms.edge.value, edge);
    this.geometry.getAttribute("tint").needsUpdate = true;
  }

  move(matrices: THREE.Matrix4[]): void {
    this.list.forEach((ball, k) => {
      const m = matrices[ball.pose];
      this.p.copy(ball.at).applyMatrix4(m).toArray(this.place, 3 * k);
      this.q.setFromRotationMatrix(m).toArray(this.turn, 4 * k);
    });
    this.geometry.getAttribute("position").needsUpdate = true;
    this.geometry.getAttribute("turn").needsUpdate = true;
  }
}
