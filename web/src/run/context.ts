// What all panels of a run view need of the run.
import { createContext } from "preact";
import { useContext } from "preact/hooks";
import type { Range } from "../api/runs";
import type { Report, RunDetail, RunEvent } from "../api/types";
import type { StepsAxis } from "../plot/steps_axis";
import { range, xKind } from "../plot/view";

export interface RunContext {
  id: string;
  detail: RunDetail;
  report: Report | null;
  events: RunEvent[];
  axis: StepsAxis;
  endMs: number;
}

export const Run = createContext<RunContext | null>(null);
export const useRun = () => useContext(Run)!;

// The steps that flatout saw, else those that logged values name. Null: there are none.
export function stepExtent(run: RunContext): [number, number] | null {
  if (run.axis.extent) return run.axis.extent;
  let found: [number, number] | null = null;
  for (const { first_step, last_step } of run.detail.series) {
    if (first_step == null || last_step == null) continue;
    found = found ? [Math.min(found[0], first_step), Math.max(found[1], last_step)] : [first_step, last_step];
  }
  return found;
}

// The x axis of all panels.
export function extentOf(run: RunContext): [number, number] {
  if (range.value) return range.value;
  return xKind.value === "step" ? (stepExtent(run) ?? [0, 1]) : [0, Math.max(1, run.endMs)];
}

// Steps that a script counts by itself may go beyond those that flatout saw: a panel of them is as
// wide as they are.
export function extentWith(run: RunContext, series: { first_step?: number | null; last_step?: number | null }[]): [number, number] {
  const extent = extentOf(run);
  if (range.value || xKind.value !== "step") return extent;
  return series.reduce<[number, number]>(([low, high], { first_step, last_step }) => [Math.min(low, first_step ?? low), Math.max(high, last_step ?? high)], extent);
}

// The part that is zoomed into, as time of the run.
export function timeRange(run: RunContext): Range {
  const now = range.value;
  if (!now || xKind.value === "time") return now;
  const ends = run.axis.extent;
  if (!ends) return null;
  const inside = (step: number) => Math.min(ends[1], Math.max(ends[0], step));
  const from = run.axis.toTime(inside(now[0]));
  const to = run.axis.toTime(inside(now[1]));
  return from !== null && to !== null && from < to ? [from, to] : null;
}
