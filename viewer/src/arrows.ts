// Arrows as two crowds: a shaft and a head each.
import * as THREE from "three";
import { Crowd } from "./crowd";
import { plainCrowd } from "./plain";

export class Arrows {
  private readonly shaft: Crowd;
  private readonly head: Crowd;
  private readonly faces: boolean;
  private readonly eye = new THREE.Vector3();
  private count = 0;
  private readonly m = new THREE.Matrix4();
  private readonly q = new THREE.Quaternion();
  private readonly up = new THREE.Vector3(0, 1, 0);
  private readonly along = new THREE.Vector3();
  private readonly place = new THREE.Vector3();
  private readonly scale = new THREE.Vector3();

  constructor(scene: THREE.Scene, private readonly most: number, flat: boolean, many: boolean) {
    const sides = 12, thin = flat || many;
    const shaft = many && !flat ? triangle(-0.3, 0, 0.3, 0, 0, 1.02) : thin ? new THREE.PlaneGeometry(0.5, 1).translate(0, 0.5, 0) : new THREE.CylinderGeometry(0.22, 0.22, 1, sides).translate(0, 0.5, 0);
    const head = many && !flat ? triangle(-0.65, -0.5, 0.65, -0.5, 0, 1) : thin ? new THREE.CircleGeometry(1, 3).rotateZ(Math.PI / 2).scale(0.75, 1, 1) : new THREE.ConeGeometry(0.6, 1.5, sides);
    const make = (g: THREE.BufferGeometry) => {
      const material = plainCrowd({ side: THREE.DoubleSide, depthTest: !flat, transparent: flat, forceSinglePass: true });
      const mesh = new Crowd(g, material, Math.max(1, most));
      mesh.renderOrder = 18;
      mesh.count = 0;
      scene.add(mesh);
      return mesh;
    };
    this.faces = many && !flat;
    this.shaft = make(shaft);
    this.head = make(head);
  }

  // thin arrows turn about themselves towards the camera
  begin(camera: THREE.Camera): void { this.count = 0; this.eye.setFromMatrixPosition(camera.matrixWorld); }

  put(from: THREE.Vector3, vector: THREE.Vector3, width: number, colour: number): void {
    if (this.count >= this.most) return;
    const length = vector.length(), w = Math.min(width, 0.35 * length);
    this.along.copy(vector).normalize();
    if (this.faces) {
      const side = this.place.subVectors(this.eye, from).cross(this.along).normalize().negate();
      this.q.setFromRotationMatrix(this.m.makeBasis(side, this.along, this.scale.crossVectors(side, this.along)));
    } else this.q.setFromUnitVectors(this.up, this.along);
    this.m.compose(from, this.q, this.scale.set(w, Math.max(1e-12, length - w), w));
    this.shaft.setMatrixAt(this.count, this.m);
    this.place.copy(from).addScaledVector(this.along, length - 0.75 * w);
    this.m.compose(this.place, this.q, this.scale.set(w, w, w));
    this.head.setMatrixAt(this.count, this.m);
    this.shaft.setHexAt(this.count, colour);
    this.head.setHexAt(this.count++, colour);
  }

  end(): void {
    for (const mesh of [this.shaft, this.head]) {
      mesh.count = this.count;
      mesh.commit();
    }
  }
}

// software pays for every triangle, however small: one for each part of an arrow
function triangle(...p: [number, number, number, number, number, number]): THREE.BufferGeometry {
  const g = new THREE.BufferGeometry();
  g.setAttribute("position", new THREE.Float32BufferAttribute([p[0], p[1], 0, p[2], p[3], 0, p[4], p[5], 0], 3));
  g.setAttribute("normal", new THREE.Float32BufferAttribute([0, 0, 1, 0, 0, 1, 0, 0, 1], 3));
  return g;
}
