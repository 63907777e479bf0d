// A heat map of ranks over time: painted by hand, with the axis of the other panels.
import type { RanksAnswer } from "../api/types";

export interface HeatScale {
  low: number;
  high: number;
}

// From the fastest to far above the usual: a few outliers must not take all the colours.
export function heatScale(rows: (number | null)[][]): HeatScale {
  const all = rows.flat().filter((value): value is number => value !== null).sort((a, b) => a - b);
  if (all.length === 0) return { low: 0, high: 1 };
  const low = all[Math.floor(all.length * 0.02)]!;
  const high = all[Math.min(all.length - 1, Math.floor(all.length * 0.98))]!;
  return high > low ? { low, high } : { low: low * 0.95, high: low * 1.05 || 1 };
}

// Cividis, in nine steps: reads the same to those who see no red or no green.
const cividis = ["#00224e", "#123570", "#3b496c", "#575d6d", "#707173", "#8a8678", "#a59c74", "#c3b369", "#fee838"];

export function heatColour(value: number, { low, high }: HeatScale): string {
  const share = Math.min(1, Math.max(0, (value - low) / (high - low)));
  return cividis[Math.round(share * (cividis.length - 1))]!;
}

export const heatColours: readonly string[] = cividis;

export interface Cell {
  rank: number;
  bucket: number;
}

export function cellAt(answer: RanksAnswer, x: number, row: number, place: (ms: number) => number | null): Cell | null {
  if (row < 0 || row >= answer.ranks.length) return null;
  for (let bucket = 0; bucket + 1 < answer.edges_ms.length; ++bucket) {
    const from = place(answer.edges_ms[bucket]!);
    const to = place(answer.edges_ms[bucket + 1]!);
    if (from !== null && to !== null && x >= from && x < to) return { rank: row, bucket };
  }
  return null;
}
