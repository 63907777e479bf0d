// A figure as the columns uPlot wants, and which of them is what.
import { ema } from "./ema";
import type { Figure, Line } from "./figure";
import { stacked } from "./stack";

export type Column = (number | null)[];

export interface Drawn {
  line: Line;
  role: "line" | "ghost" | "low" | "high" | "area";
  values: Column;
}

export interface How {
  log: boolean;
  smoothing: number;
}

const positive = (values: Column): Column => values.map((value) => (value !== null && value > 0 ? value : null));

const mostBands = 4; // more of them cover each other

function ofLine(line: Line, how: How, band: boolean): Drawn[] {
  const put = (values: Column) => (how.log ? positive(values) : values);
  const found: Drawn[] = [];
  if (band && line.low && line.high) {
    found.push({ line, role: "high", values: put(line.high) }, { line, role: "low", values: put(line.low) });
  }
  const smooth = how.smoothing > 0 && !line.thin;
  if (smooth) found.push({ line, role: "ghost", values: put(line.values) });
  found.push({ line, role: "line", values: put(smooth ? ema(line.values, how.smoothing) : line.values) });
  return found;
}

export function columnsOf(figure: Figure, how: How): Drawn[] {
  if (figure.shape !== "stack") return figure.lines.flatMap((line) => ofLine(line, how, figure.lines.length <= mostBands));
  const areas = figure.lines.filter((line) => !line.thin);
  const sums = stacked(areas, figure.xs.length);
  // The highest first: each is filled down to the axis, and the next covers it.
  const found: Drawn[] = areas.map((line, i) => ({ line, role: "area" as const, values: sums[i]! })).reverse();
  for (const line of figure.lines) if (line.thin) found.push({ line, role: "line", values: line.values });
  return found;
}
