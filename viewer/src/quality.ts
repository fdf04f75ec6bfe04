// Playing comes before sharpness: where pictures come too slowly, fewer pixels are drawn until it stops.

const SLOW = 1 / 33; // [s] between pictures; thirty a second with a little to spare
const COUNT = 10; // pictures that are judged together
const SCALES = [1, 0.75, 0.5];

export class Quality {
  private level = 0;
  private count = 0;
  private began = 0;

  get scale(): number { return SCALES[this.level]; }

  // tell of a picture at a time [s]; true if the number of pixels has changed
  tick(now: number): boolean {
    if (this.count++ === 0) { this.began = now; return false; }
    if (this.count <= COUNT) return false;
    const mean = (now - this.began) / COUNT;
    this.count = 0;
    // a pause between pictures is not a slow picture
    if (mean < SLOW || mean > 1 || this.level + 1 >= SCALES.length) return false;
    this.level++;
    return true;
  }

  // at rest everything is sharp; true if it was not
  rest(): boolean {
    const changed = this.level > 0;
    this.level = this.count = 0;
    return changed;
  }
}
