// Many copies of one geometry in one draw call, each with a matrix and a colour of its own.
//
// The copies are one geometry; where each is and what colour it has stands in a small texture that
// the vertex shader reads. Instancing would need less memory, but renderers without a graphics card
// draw instance by instance, ten times slower.
import * as THREE from "three";
import { CROWD_ROW as PER_ROW, READ_CROWD } from "./plain";

export class Crowd extends THREE.Mesh {
  private readonly values: Float32Array;
  private readonly texture: THREE.DataTexture;
  private readonly step: number; // indices of one copy
  private readonly plain: boolean; // colours are those of the screen
  private static readonly colour = new THREE.Color();

  constructor(one: THREE.BufferGeometry, material: THREE.Material, readonly most: number) {
    const rows = Math.max(1, Math.ceil(most / PER_ROW));
    const values = new Float32Array(rows * PER_ROW * 16);
    const texture = new THREE.DataTexture(values, 4 * PER_ROW, rows, THREE.RGBAFormat, THREE.FloatType);
    texture.needsUpdate = true;
    super(copies(one, most), prepared(material, texture));
    this.values = values;
    this.texture = texture;
    this.plain = material instanceof THREE.ShaderMaterial;
    this.step = one.index ? one.index.count : one.getAttribute("position").count;
    this.frustumCulled = false;
    this.count = most;
  }

  set count(n: number) {
    this.geometry.setDrawRange(0, n * this.step);
    this.visible = n > 0;
  }

  setMatrixAt(k: number, m: THREE.Matrix4): void {
    const e = m.elements, v = this.values, at = 16 * k;
    // three rows, the last row of the matrix is always 0 0 0 1
    for (let row = 0; row < 3; row++)
      for (let column = 0; column < 4; column++) v[at + 4 * row + column] = e[4 * column + row];
  }

  setColorAt(k: number, colour: THREE.Color): void {
    const shown = Crowd.colour.copy(colour);
    if (this.plain) shown.convertLinearToSRGB();
    shown.toArray(this.values, 16 * k + 12);
  }

  // the same for a crowd without light, which is what moves most; nothing is converted
  setHexAt(k: number, hex: number): void {
    const v = this.values, at = 16 * k + 12;
    v[at] = ((hex >> 16) & 255) / 255;
    v[at + 1] = ((hex >> 8) & 255) / 255;
    v[at + 2] = (hex & 255) / 255;
  }

  commit(): void { this.texture.needsUpdate = true; }

  free(): void {
    this.geometry.dispose();
    this.texture.dispose();
    (this.material as THREE.Material).dispose();
  }
}

function copies(one: THREE.BufferGeometry, most: number): THREE.BufferGeometry {
  const position = one.getAttribute("position"), n = position.count, many = new THREE.BufferGeometry();
  const repeat = (name: string, size: number, fallback?: number) => {
    const given = one.getAttribute(name);
    if (!given && fallback === undefined) return;
    const source = given ? (given.array as Float32Array) : new Float32Array(n * size).fill(fallback!);
    const out = new Float32Array(most * n * size);
    for (let k = 0; k < most; k++) out.set(source, k * n * size);
    many.setAttribute(name, new THREE.BufferAttribute(out, size));
  };
  repeat("position", 3);
  repeat("normal", 3);
  repeat("color", 3, 1);
  const slot = new Float32Array(most * n);
  for (let k = 0; k < most; k++) slot.fill(k, k * n, (k + 1) * n);
  many.setAttribute("slot", new THREE.BufferAttribute(slot, 1));
  const first = one.index ? one.index.array : Uint32Array.from({ length: n }, (_, k) => k);
  const index = new Uint32Array(most * first.length);
  for (let k = 0; k < most; k++)
    for (let i = 0; i < first.length; i++) index[k * first.length + i] = first[i] + k * n;
  many.setIndex(new THREE.BufferAttribute(index, 1));
  return many;
}

function prepared(material: THREE.Material, texture: THREE.DataTexture): THREE.Material {
  if (material instanceof THREE.ShaderMaterial) {
    material.uniforms.crowd.value = texture;
    return material;
  }
  (material as THREE.MeshLambertMaterial).vertexColors = true;
  material.onBeforeCompile = (shader) => {
    shader.uniforms.crowd = { value: texture };
    shader.vertexShader = READ_CROWD + shader.vertexShader
      .replace("#include <color_vertex>", "#include <color_vertex>\nvColor.rgb *= crowdRow(3).rgb;")
      .replace("#include <beginnormal_vertex>", `#include <beginnormal_vertex>
        objectNormal = vec3(dot(crowdRow(0).xyz, objectNormal), dot(crowdRow(1).xyz, objectNormal), dot(crowdRow(2).xyz, objectNormal));`)
      .replace("#include <begin_vertex>", `vec4 crowdPlace = vec4(position, 1.0);
        vec3 transformed = vec3(dot(crowdRow(0), crowdPlace), dot(crowdRow(1), crowdPlace), dot(crowdRow(2), crowdPlace));`);
  };
  material.customProgramCacheKey = () => "crowd";
  return material;
}
