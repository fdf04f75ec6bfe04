// Materials that cost little where there is no graphics card: light at the corners of triangles
// only, and colours as the screen wants them, so that nothing is converted pixel by pixel.
import * as THREE from "three";

export const CROWD_ROW = 64; // copies in a row of the texture of a crowd, four texels each

export const READ_CROWD = `
attribute float slot;
uniform highp sampler2D crowd;
vec4 crowdRow(int row) {
  int k = int(slot + 0.5);
  return texelFetch(crowd, ivec2(4 * (k % ${CROWD_ROW}) + row, k / ${CROWD_ROW}), 0);
}
`;

const CROWD_VERTEX = `${READ_CROWD}
uniform float lit;
varying vec3 vTint;
void main() {
  vec4 a = crowdRow(0), b = crowdRow(1), c = crowdRow(2), p = vec4(position, 1.0);
  float light = 1.0;
  if (lit > 0.0) {
    vec3 n = normalize(vec3(dot(a.xyz, normal), dot(b.xyz, normal), dot(c.xyz, normal)));
    light = 0.79 + 0.26 * max(0.0, dot(n, vec3(0.545, -0.375, 0.75))) + 0.04 * n.z;
  }
  vTint = crowdRow(3).rgb * sqrt(color) * light;
  gl_Position = projectionMatrix * viewMatrix * vec4(dot(a, p), dot(b, p), dot(c, p), 1.0);
}`;

const LINE_VERTEX = `
uniform vec3 tint;
varying vec3 vTint;
void main() {
  vTint = tint;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const FRAGMENT = `
uniform float opacity;
varying vec3 vTint;
void main() { gl_FragColor = vec4(vTint, opacity); }`;

export type PlainOptions = THREE.MaterialParameters & { lit?: boolean };

// for a crowd: colour and light of each copy
export function plainCrowd({ lit = false, opacity = 1, ...options }: PlainOptions): THREE.ShaderMaterial {
  return new THREE.ShaderMaterial({
    vertexShader: CROWD_VERTEX, fragmentShader: FRAGMENT, vertexColors: true, ...options,
    uniforms: { crowd: { value: null }, lit: { value: lit ? 1 : 0 }, opacity: { value: opacity } },
  });
}

// for lines of one colour
export function plainLine(options: THREE.MaterialParameters = {}): THREE.ShaderMaterial {
  const { opacity = 1, ...others } = options;
  return new THREE.ShaderMaterial({
    vertexShader: LINE_VERTEX, fragmentShader: FRAGMENT, ...others,
    uniforms: { tint: { value: new THREE.Color() }, opacity: { value: opacity } },
  });
}

// a colour as the screen wants it
export function onScreen(colour: THREE.Color, hex: THREE.ColorRepresentation): THREE.Color {
  return colour.set(hex).convertLinearToSRGB();
}
