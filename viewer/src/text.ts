// Numbers and units as people write them.
import { label } from "./overlay";

const RAISED: Record<string, string> = { "-": "⁻", "0": "⁰", "1": "¹", "2": "²", "3": "³", "4": "⁴", "5": "⁵", "6": "⁶", "7": "⁷", "8": "⁸", "9": "⁹" };

// "kg*m^2" as kg·m²; a pure number has a dash
export function unitText(unit: string): string {
  if (unit === "" || unit === "1") return "–";
  return unit.replace(/\^(-?\d+)/g, (_, power: string) => [...power].map((c) => RAISED[c]).join("")).replace(/[* ]/g, "·");
}

// the name of a method and its first two numbers, such as EventDriven(rtol=1e-9, atol=1e-12); the rest is in the tooltip
export function methodText(method: string): string {
  const name = /^\w+/.exec(method)?.[0];
  if (!name || method[name.length] !== "(") return method;
  const numbers = method.match(/\b\w+=[-+.\de]+(?=[,)])/g) ?? [];
  return numbers.length ? `${name}(${numbers.slice(0, 2).join(", ")})` : name;
}

// a few digits, without an exponent as long as that is shorter: 230, 0.048, 4.1e6
export function shortNumber(value: number, digits: number): string {
  const text = String(Number(value.toPrecision(digits)));
  return text.length > 7 ? value.toExponential(digits - 1).replace("e+", "e") : text;
}

// decimals of times in a list: four, and as many more as tell each from the next other one on both sides
export function timeDigits(times: number[]): number[] {
  const digits = times.map(() => 4);
  for (let k = 0, start = 0; k + 1 < times.length; k++) {
    const gap = Math.abs(times[k + 1] - times[k]);
    if (gap === 0) continue; // several events of one moment look alike
    // two units of the last decimal are still one when both are rounded
    const need = Math.min(15, Math.max(4, Math.ceil(Math.log10(2 / gap))));
    let end = k + 2;
    while (end < times.length && times[end] === times[k + 1]) end++;
    for (let i = start; i < end; i++) digits[i] = Math.max(digits[i], need);
    start = k + 1;
  }
  return digits;
}

// decimals of the clock of a run: four, and more for a short one
export function clockDigits(span: number): number {
  return span > 0 ? Math.min(12, Math.max(4, 3 - Math.floor(Math.log10(span)))) : 4;
}

// ticks of an axis that differ from each other, with what was taken off where they would be too wide
export function tickTexts(values: number[], step: number, fits: (text: string) => boolean): { texts: string[]; base: number } {
  const largest = Math.max(...values.map(Math.abs)), places = Math.floor(Math.log10(largest)) - Math.floor(Math.log10(step) + 1e-9);
  if (largest < 99999 && step >= 1e-5) {
    const plain = values.map((v) => label(v, step));
    if (plain.every(fits)) return { texts: plain, base: 0 };
  }
  const short = values.map((v) => (v === 0 ? "0" : v.toExponential(Math.max(0, places)).replace("e+", "e")));
  if (!values.length || short.every(fits)) return { texts: short, base: 0 };
  // far from zero and hardly changing: only the change is written
  const base = Number(values[0].toPrecision(12)), rest = values.map((v) => Math.round((v - base) / step) * step);
  return { texts: tickTexts(rest, step, () => true).texts, base };
}
