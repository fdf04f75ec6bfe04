// A floor that fills the whole picture is painted by clearing it: pixel by pixel it costs software
// as much as a thousand balls.
import * as THREE from "three";

export const FAR = 12; // half a floor below many bodies, in extents of the scene

const CORNERS = [[-1, -1], [1, -1], [-1, 1], [1, 1]];

export class Floor {
  private readonly inverse: THREE.Matrix4;
  private readonly eye = new THREE.Vector3();
  private readonly ray = new THREE.Vector3();

  constructor(private readonly mesh: THREE.Object3D, local: THREE.Matrix4, private readonly half: number) {
    this.inverse = local.clone().invert();
  }

  // does every ray of the picture meet the upper side of the floor?
  private fills(camera: THREE.Camera): boolean {
    const { eye, ray, half } = this;
    eye.setFromMatrixPosition(camera.matrixWorld).applyMatrix4(this.inverse);
    if (eye.z <= 0) return false;
    return CORNERS.every(([x, y]) => {
      ray.set(x, y, 0.5).unproject(camera).applyMatrix4(this.inverse).sub(eye);
      const s = eye.z / -ray.z;
      return ray.z < 0 && Math.abs(eye.x + s * ray.x) < half && Math.abs(eye.y + s * ray.y) < half;
    });
  }

  show(scene: THREE.Scene, camera: THREE.Camera, colour: THREE.Color): void {
    const fills = camera instanceof THREE.PerspectiveCamera && this.fills(camera);
    this.mesh.visible = !fills;
    scene.background = fills ? colour : null;
  }
}
