// Lines of the program's output: a part of all, around the place that is looked at.
import type { Output, OutputLine } from "../api/types";

export interface Part {
  lines: OutputLine[]; // by time
  before: number | null; // where to go on reading backwards, in ns; null: the beginning is there
  after: number | null;
}

export const mostLines = 900; // in the page at once
export const keyOf = (line: OutputLine) => `${line.pid}:${line.t_ns}`;

// Each line once, by time; those of `second` as they are newer.
function merged(first: OutputLine[], second: OutputLine[]): OutputLine[] {
  const known = new Map(first.map((line) => [keyOf(line), line]));
  for (const line of second) known.set(keyOf(line), line);
  return [...known.values()].sort((a, b) => a.t_ns - b.t_ns || a.pid - b.pid);
}

// What an answer that was read backwards (from `to_ns` on) says of what lies before it.
const beforeOf = (answer: Output) => (answer.more ? (answer.reached_ns ?? answer.lines[0]?.t_ns ?? null) : null);
const afterOf = (answer: Output) => (answer.more ? (answer.reached_ns ?? answer.lines[answer.lines.length - 1]?.t_ns ?? null) : null);

export function partOf(backward: Output | null, forward: Output | null): Part {
  return {
    lines: merged(backward?.lines ?? [], forward?.lines ?? []),
    before: backward ? beforeOf(backward) : null,
    after: forward ? afterOf(forward) : null,
  };
}

// With earlier lines; what is then too much goes at the end.
export function withEarlier(part: Part, answer: Output): Part {
  const lines = merged(part.lines, answer.lines);
  const kept = lines.slice(0, mostLines);
  const last = kept[kept.length - 1];
  return { lines: kept, before: beforeOf(answer), after: last && kept.length < lines.length ? last.t_ns : part.after };
}

export function withLater(part: Part, answer: Output): Part {
  // A line that was going on when it was read last may be finished by now, under the same time.
  const lines = merged(part.lines, answer.lines);
  const kept = lines.slice(-mostLines);
  const first = kept[0];
  return { lines: kept, before: first && kept.length < lines.length ? first.t_ns : part.before, after: afterOf(answer) };
}

// The last line that was there at `ms`; -1: none was.
export function lineAt(lines: OutputLine[], ms: number): number {
  let low = 0;
  let high = lines.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    if (lines[middle]!.t_ns <= ms * 1e6) low = middle + 1;
    else high = middle;
  }
  return low - 1;
}

// Whether the line of that time is among those that are there.
export function covers(part: Part, ms: number): boolean {
  const first = part.lines[0];
  const last = part.lines[part.lines.length - 1];
  if (!first || !last) return part.before === null && part.after === null;
  return (part.before === null || first.t_ns <= ms * 1e6) && (part.after === null || ms * 1e6 <= last.t_ns);
}
