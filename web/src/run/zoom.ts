// Zooms all panels to a time of the run, whichever axis they have.
import { xKind, zoomTo } from "../plot/view";
import type { RunContext } from "./context";

export const toAxis = (run: RunContext, ms: number): number | null => (xKind.peek() === "step" ? run.axis.toStep(ms) : ms);

export function zoomToTime(run: RunContext, [from, to]: [number, number]): void {
  const ends = [toAxis(run, Math.max(0, from)), toAxis(run, Math.min(run.endMs, to))];
  // Of an axis of steps the ends may lie beyond the first or the last one.
  const [low, high] = [ends[0] ?? run.axis.extent?.[0], ends[1] ?? run.axis.extent?.[1]];
  if (low != null && high != null && low < high) zoomTo([low, high]);
}
