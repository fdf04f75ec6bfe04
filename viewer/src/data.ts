// The data of a page: a packed container with a JSON head and arrays, time as the last axis.

export type Vec = [number, number, number];
export type Anchor = [string, number[]];

export interface Shape {
  type: string;
  name?: string;
  at?: number[];
  rot?: number[];
  r?: number;
  length?: number;
  section?: number;
  size?: number[];
  axes?: number[];
  normal?: number[];
  points?: number[][];
  vertices?: number[][];
  faces?: number[][];
  closed?: boolean;
  inside?: boolean;
  thin?: boolean;
  bob?: number;
  mark?: boolean;
  colour?: number;
}

export interface Body { name: string; role: string; pose: number; shapes: Shape[]; }
export interface Line { name: string; kind: string; points: Anchor[]; }
export interface Joint { name: string; kind: string; first: Anchor; second: Anchor; axis: number[] | null; }
export interface Marker { name: string; body: string; at: number[]; rot: number[]; }
export interface Contact { name: string; body?: string; at?: number[]; }
export interface RunEvent { t: number; name: string; kind: string; text?: string; size?: number; p?: Vec; j?: Vec; }
export interface Signal { name: string; unit: string; block: number; }
export interface Load { name: string; body: string; at: number[]; }
export interface PlanNode { name: string; kind: string; at: number[]; }
export interface PlanLink { name: string; kind: string; first: number; second: number; lane: number; }
export interface PlanHead { quantity: string; unit: string; nodes: PlanNode[]; links: PlanLink[]; }
export interface Setting { name: string; value: number | boolean; unit: string; text: string; }

export interface Head {
  version: number; made: string; title: string; dim: 2 | 3; size: number; gravity: number[] | null;
  status: string; method: string; wall: number; poses: string[]; bodies: Body[]; lines: Line[];
  joints: Joint[]; frames: Marker[]; contacts: Contact[]; stride: number; events: RunEvent[];
  events_left_out: number; signals: Signal[]; loads: Load[]; joint_forces: Load[];
  settings: Setting[]; empty: boolean; follow: string; plan: PlanHead | null;
  blocks: Record<string, { word: string; shape: number[]; at: number; bytes: number }>;
}

type Numbers = Float32Array | Float64Array | Uint8Array | Uint32Array;

export class RunData {
  readonly t: Float64Array;
  readonly count: number;
  readonly poses: Float32Array;
  readonly width: number;
  readonly state: Uint8Array;
  readonly point: Float32Array;
  readonly force: Float32Array;
  readonly samples: number;
  // for every frame: which contacts are there, and which sample is theirs
  readonly frameStart: Uint32Array;
  readonly frameContact: Uint32Array;
  readonly frameSample: Uint32Array;
  readonly signals: Float32Array;
  readonly loads: Float32Array;
  readonly jointForces: Float32Array;
  // of the plan: what colours nodes, their angle or position, what links transmit
  readonly planValue: Float32Array;
  readonly planSecond: Float32Array;
  readonly planFlow: Float32Array;
  readonly poseOf: Map<string, number>;

  constructor(readonly head: Head, private readonly body: Uint8Array) {
    this.t = this.block("t") as Float64Array;
    this.count = this.t.length;
    this.width = head.dim === 2 ? 3 : 7;
    this.poses = this.readPoses();
    this.state = this.block("contact_state") as Uint8Array;
    this.point = this.block("contact_point") as Float32Array;
    this.force = this.block("contact_force") as Float32Array;
    this.samples = this.point.length / 3;
    [this.frameStart, this.frameContact, this.frameSample] = this.indexContacts();
    this.signals = this.block("signals") as Float32Array;
    this.loads = this.block("loads") as Float32Array;
    this.jointForces = this.block("joint_forces") as Float32Array;
    this.planValue = this.block("plan_value") as Float32Array;
    this.planSecond = this.block("plan_second") as Float32Array;
    this.planFlow = this.block("plan_flow") as Float32Array;
    this.poseOf = new Map(head.poses.map((name, k) => [name, k]));
  }

  private block(name: string): Numbers {
    const entry = this.head.blocks[name];
    if (!entry) return new Float32Array(0);
    const bytes = this.body.slice(entry.at, entry.at + entry.bytes);
    switch (entry.word) {
      case "f8": return new Float64Array(bytes.buffer);
      case "f4": return new Float32Array(bytes.buffer);
      case "u4": return new Uint32Array(bytes.buffer);
      case "u1": return bytes;
      default: return this.coarse(name, bytes, entry.shape);
    }
  }

  // differences of 16 bits along time, low and high bytes apart
  private coarse(name: string, bytes: Uint8Array, shape: number[]): Float32Array {
    const low = this.block(`${name}.low`), step = this.block(`${name}.step`);
    const total = bytes.length / 2, columns = shape[shape.length - 1];
    const out = new Float32Array(total);
    for (let row = 0, k = 0; k < total; row++) {
      let whole = 0;
      for (let f = 0; f < columns; f++, k++) {
        whole = (whole + bytes[k] + 256 * bytes[total + k]) & 65535;
        out[k] = low[row] + step[row] * whole;
      }
    }
    return out;
  }

  private readPoses(): Float32Array {
    const first = this.block("poses") as Float32Array;
    const turns = this.head.blocks["turns"] ? (this.block("turns") as Float32Array) : null;
    if (!turns) return first;
    const n = this.head.poses.length, F = this.count;
    const out = new Float32Array(n * 7 * F);
    for (let p = 0; p < n; p++) {
      out.set(first.subarray(p * 3 * F, (p + 1) * 3 * F), p * 7 * F);
      out.set(turns.subarray(p * 4 * F, (p + 1) * 4 * F), (p * 7 + 3) * F);
    }
    return out;
  }

  // samples lie contact by contact; drawing needs them frame by frame
  private indexContacts(): [Uint32Array, Uint32Array, Uint32Array] {
    const bits = this.block("contact_here") as Uint8Array;
    const F = this.count, S = this.head.contacts.length, stride = this.head.stride;
    const here = (k: number) => (bits[k >> 3] >> (7 - (k & 7))) & 1;
    const start = new Uint32Array(F + 1);
    const visit = (put: (frame: number, contact: number, sample: number) => void) => {
      let sample = -1;
      for (let s = 0; s < S; s++) {
        let until = -1;
        for (let f = 0; f < F; f++) {
          if (here(s * F + f)) { sample++; until = f - (f % stride) + stride; }
          // between two samples the last one counts while the contact lasts
          if (f < until && (stride === 1 || here(s * F + f) || this.state[s * F + f] > 0)) put(f, s, sample);
        }
      }
    };
    visit((f) => { start[f + 1]++; });
    for (let f = 0; f < F; f++) start[f + 1] += start[f];
    const contact = new Uint32Array(start[F]), sampleOf = new Uint32Array(start[F]);
    const next = start.slice();
    visit((f, s, k) => { contact[next[f]] = s; sampleOf[next[f]++] = k; });
    return [start, contact, sampleOf];
  }

  // the last frame at or before a time; of two limits the right one
  frameAt(time: number): number {
    let low = 0, high = this.count - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if (this.t[middle] <= time) low = middle; else high = middle - 1;
    }
    return low;
  }

  signal(index: number): Float32Array {
    return this.signals.subarray(index * this.count, (index + 1) * this.count);
  }
}

export async function decode(packed: Uint8Array): Promise<RunData> {
  const stream = new Blob([packed as BlobPart]).stream().pipeThrough(new DecompressionStream("deflate"));
  const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
  const magic = String.fromCharCode(...bytes.subarray(0, 4));
  if (magic !== "CLV1") throw new Error("The data of this page is damaged.");
  const length = new DataView(bytes.buffer).getUint32(4, true);
  const head = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length))) as Head;
  return new RunData(head, bytes.subarray(8 + length));
}

export function fromBase64(text: string): Uint8Array {
  const binary = atob(text);
  const out = new Uint8Array(binary.length);
  for (let k = 0; k < binary.length; k++) out[k] = binary.charCodeAt(k);
  return out;
}
