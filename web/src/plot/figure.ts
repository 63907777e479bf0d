// What a panel shows, apart from how: it becomes a canvas, a table, a CSV or an SVG.
import type { Span } from "./stairs";

export interface Line {
  label: string;
  colour: string; // name of a colour of the style sheet, without "--"
  dash?: number[];
  values: (number | null)[];
  low?: (number | null)[]; // extremes of a column of pixels, where a point stands for several
  high?: (number | null)[];
  unit?: string; // where it differs from the figure's
  thin?: boolean; // a limit, not a reading
}

export interface Figure {
  title: string;
  unit: string;
  xKind: "time" | "step" | "plain"; // time: ms since the run began
  xUnit?: string; // of a plain x
  xs: number[];
  spans?: Span[]; // of a stack of buckets: what each x stands in the middle of
  lines: Line[];
  shape: "lines" | "stack" | "bars";
  fromZero?: boolean;
  yTop?: number; // at least so high
}

export const isEmpty = (figure: Figure) =>
  figure.xs.length === 0 || figure.lines.every((line) => line.values.every((value) => value === null));

// A figure without the lines that are switched off.
export function without(figure: Figure, off: ReadonlySet<string>): Figure {
  if (off.size === 0) return figure;
  return { ...figure, lines: figure.lines.filter((line) => !off.has(line.label)) };
}

export interface Spread {
  low: number;
  high: number;
  last: number | null;
}

export function spread(line: Line): Spread | null {
  let low = Infinity;
  let high = -Infinity;
  let last: number | null = null;
  for (let i = 0; i < line.values.length; ++i) {
    const value = line.values[i] ?? null;
    if (value === null) continue;
    low = Math.min(low, line.low?.[i] ?? value);
    high = Math.max(high, line.high?.[i] ?? value);
    last = value;
  }
  return low > high ? null : { low, high, last };
}
