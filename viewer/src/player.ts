// The clock of a run: time, speed, loop, and how fast it really plays.

export class Player {
  time = 0;
  playing = false;
  loop = true;
  speed = 1;
  factor = 0; // seconds of the run per second, as measured
  onChange: () => void = () => {};
  private last = 0;
  private mark = { wall: 0, shown: 0 };

  constructor(public start: number, public end: number) { this.time = start; }

  reset(start: number, end: number): void {
    this.start = start;
    this.end = end;
    this.time = Math.min(Math.max(this.time, start), end);
  }

  play(): void {
    if (this.time >= this.end) this.time = this.start;
    this.playing = true;
    this.last = 0;
    this.mark = { wall: 0, shown: 0 };
    this.onChange();
  }

  pause(): void { this.playing = false; this.factor = 0; this.onChange(); }
  toggle(): void { if (this.playing) this.pause(); else this.play(); }

  seek(time: number): void {
    this.time = Math.min(Math.max(time, this.start), this.end);
    this.onChange();
  }

  // advance to the given moment of the page's own clock, in seconds
  tick(now: number): void {
    if (!this.playing) return;
    const passed = this.last ? Math.min(now - this.last, 0.25) : 0;
    this.last = now;
    const step = passed * this.speed;
    this.time += step;
    this.mark.shown += step;
    if (!this.mark.wall) this.mark = { wall: now, shown: 0 };
    if (now - this.mark.wall > 0.5) {
      this.factor = this.mark.shown / (now - this.mark.wall);
      this.mark = { wall: now, shown: 0 };
    }
    if (this.time > this.end) {
      const span = this.end - this.start;
      if (this.loop && span > 0) this.time = this.start + ((this.time - this.start) % span);
      else { this.time = this.end; this.pause(); }
    }
  }
}

const SPEEDS = [1, 2, 5];

// 1, 2, 5 times a power of ten, below or above the given speed
export function nextSpeed(speed: number, direction: number): number {
  const all: number[] = [];
  for (let p = -5; p <= 3; p++) for (const s of SPEEDS) all.push(Number((s * 10 ** p).toPrecision(2)));
  const found = direction > 0 ? all.find((s) => s > speed * 1.001) : [...all].reverse().find((s) => s < speed * 0.999);
  return found ?? speed;
}

// a run should last some six seconds unless its own pace is close to that
export function startSpeed(span: number): number {
  if (span >= 1.5 && span <= 40) return 1;
  const wanted = span / 6;
  return wanted <= 0 ? 1 : nextSpeed(wanted, -1);
}
