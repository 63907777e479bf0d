// Where lanes and their rectangles stand, and what they are called: no canvas here.
import type { LanesAnswer } from "../api/types";
import { offset } from "../format/moment";
import { milliseconds } from "../format/quantity";

export const laneHeight = 20;
export const headHeight = 22; // of a group
export const axisHeight = 24;
export const markHeight = 16; // numbers of steps

export interface Row {
  lane: number; // in the answer
  top: number;
}

export interface Layout {
  heads: { text: string; top: number }[];
  rows: Row[];
  height: number; // with axis
}

export function layoutOf(answer: LanesAnswer): Layout {
  const heads: Layout["heads"] = [];
  const rows: Row[] = [];
  let top = answer.steps.length > 0 ? markHeight : 0;
  let group: string | null = null;
  answer.lanes.forEach((lane, i) => {
    if (lane.group !== group) {
      group = lane.group;
      heads.push({ text: group, top });
      top += headHeight;
    }
    rows.push({ lane: i, top });
    top += laneHeight;
  });
  return { heads, rows, height: top + axisHeight };
}

export interface Span {
  begin: number; // ms since the run began
  end: number;
  filled: number; // ms of it: less where it stands for several
  name: { text: string; kind: string };
  count: number;
}

export function spanOf(answer: LanesAnswer, lane: number, at: number): Span {
  const [begin, end, filled, name, count] = answer.lanes[lane]!.spans[at]! as [number, number, number, number, number];
  return { begin, end, filled, name: answer.names[name] ?? { text: "", kind: "other" }, count };
}

export interface Place {
  lane: number;
  span: number;
}

// The rectangle at a place of the picture; what stands apart by less than `slack` ms counts, too.
export function spanAt(answer: LanesAnswer, layout: Layout, ms: number, y: number, slack: number): Place | null {
  const row = layout.rows.find((one) => y >= one.top && y < one.top + laneHeight);
  if (!row) return null;
  const { spans } = answer.lanes[row.lane]!;
  let low = 0;
  let high = spans.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (spans[middle]![1]! < ms - slack) low = middle + 1;
    else high = middle;
  }
  return low < spans.length && spans[low]![0]! <= ms + slack ? { lane: row.lane, span: low } : null;
}

// Where an arrow key leads: along the lane, or to what is nearest in time on the next one.
export function neighbour(answer: LanesAnswer, from: Place | null, key: string): Place | null {
  if (answer.lanes.length === 0) return null;
  if (!from) return { lane: 0, span: 0 };
  const last = answer.lanes[from.lane]!.spans.length - 1;
  const within = (span: number) => ({ lane: from.lane, span: Math.min(last, Math.max(0, span)) });
  if (key === "ArrowRight") return within(from.span + 1);
  if (key === "ArrowLeft") return within(from.span - 1);
  if (key === "Home") return within(0);
  if (key === "End") return within(last);
  const lane = from.lane + (key === "ArrowDown" ? 1 : -1);
  const spans = answer.lanes[lane]?.spans;
  if (!spans) return from;
  const middle = (one: number[]) => (one[0]! + one[1]!) / 2;
  const at = middle(answer.lanes[from.lane]!.spans[from.span]!);
  let best = 0;
  spans.forEach((one, i) => Math.abs(middle(one) - at) < Math.abs(middle(spans[best]!) - at) && (best = i));
  return { lane, span: best };
}

export function reading(answer: LanesAnswer, { lane, span }: Place): string {
  const where = answer.lanes[lane]!;
  const one = spanOf(answer, lane, span);
  const many = one.count > 1 ? `${one.count} put together, the longest ` : "";
  const filled = one.count > 1 ? `, ${milliseconds(one.filled)} of ${milliseconds(one.end - one.begin)}` : `, ${milliseconds(one.filled)}`;
  return `${where.group}, ${where.label}: ${many}${one.name.text}${filled}, at ${offset(one.begin, (answer.to_ms - answer.from_ms) / 1000)}`;
}

// Ticks of the axis: some five, at round places.
export function ticks(from: number, to: number, most: number): { at: number; text: string }[] {
  const rough = (to - from) / Math.max(1, most);
  const size = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map((one) => one * size).find((one) => one >= rough) ?? rough;
  const found = [];
  for (let at = Math.ceil(from / step) * step; at <= to; at += step) found.push({ at, text: offset(at, step) });
  return found;
}
