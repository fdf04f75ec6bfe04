// Colours that everybody can tell apart (Okabe and Ito), for light and dark.

export const PALETTE = [0x0072b2, 0xd55e00, 0x009e73, 0xcc79a7, 0xe69f00, 0x56b4e9];
export const CURVES = ["#0072b2", "#d55e00", "#009e73", "#cc79a7", "#e69f00", "#56b4e9"];

export interface Look {
  dark: boolean; back: string; grid: string; gridStrong: string; text: string; quiet: string;
  ground: number; groundEdge: number; edge: number; line: number; pin: number; body: number[];
  states: number[]; force: number; load: number; joint: number; flash: number;
}

// open, closed without friction, slip, stick
const STATES_LIGHT = [0x9aa3ad, 0xcc79a7, 0xe69f00, 0x0072b2];
const STATES_DARK = [0x7d8896, 0xe3a5c7, 0xf0b429, 0x56b4e9];

export function look(dark: boolean): Look {
  return dark
    ? {
        dark, back: "#14181f", grid: "#222a35", gridStrong: "#303b49", text: "#e6eaf0", quiet: "#97a3b3",
        ground: 0x2a333f, groundEdge: 0x7c8898, edge: 0x0b0e12, line: 0xb9c3d0, pin: 0xe6eaf0,
        body: [0x4ba3dc, 0xe8793a, 0x2fbf94, 0xd894ba, 0xeab54a, 0x84c9f0],
        states: STATES_DARK, force: 0xffb000, load: 0x2fbf94, joint: 0xd894ba, flash: 0xffe066,
      }
    : {
        dark, back: "#f6f7f9", grid: "#e6e9ee", gridStrong: "#cfd5dd", text: "#1d2430", quiet: "#66707f",
        ground: 0xdde2e8, groundEdge: 0x6b7683, edge: 0x1d2430, line: 0x4a5563, pin: 0xffffff,
        body: [0x4b9cd3, 0xe07b3f, 0x35b08b, 0xd690b8, 0xe3b04b, 0x86c5ec],
        states: STATES_LIGHT, force: 0xd55e00, load: 0x009e73, joint: 0x9a4f80, flash: 0xd99100,
      };
}
