// Areas over buckets, each as wide as what it stands for: a line from the middle of one to the
// middle of the next would show values between them that nothing had.
import type { Column } from "./columns_of";

export type Span = [from: number, to: number];

// On an axis of steps each stands where its number is.
export const spanOf = (one: { first_step: number | null; last_step: number | null; from_ms: number; to_ms: number }, x: "time" | "step"): Span =>
  x === "step" ? [one.first_step! - 0.5, one.last_step! + 0.5] : [one.from_ms, one.to_ms];

// Corners of the upper edge of what lies together, in values of the axes, from left to right.
export type Stretch = [x: number, y: number][];

export function stairs(spans: Span[], values: Column, first = 0, last = values.length - 1): Stretch[] {
  const found: Stretch[] = [];
  let open: Stretch | null = null;
  for (let i = Math.max(0, first); i <= Math.min(last, values.length - 1); ++i) {
    const value = values[i] ?? null;
    const [from, to] = spans[i] ?? [0, 0];
    if (value === null) {
      open = null;
      continue;
    }
    if (open && open[open.length - 1]![0] < from) open = null; // a time of which no bucket is
    if (!open) found.push((open = []));
    open.push([from, value], [to, value]);
  }
  return found;
}
