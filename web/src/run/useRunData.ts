// All of a run but its series: loaded once, and again as it goes on.
import { useSignal } from "@preact/signals";
import { useEffect, useMemo, useState } from "preact/hooks";
import { listenToRun, type Tick } from "../api/live";
import { getEvents, getReport, getRun, getStepAxis, getTune } from "../api/runs";
import { stepsAxis } from "../plot/steps_axis";
import { useLoaded, type Loaded } from "../plot/useLoaded";
import { tick } from "../plot/view";
import type { RunDetail, StepAxis, Tune } from "../api/types";
import type { RunContext } from "./context";

const reportEvery = 10; // ticks: a report goes over the whole run

export interface RunData {
  detail: Loaded<RunDetail>;
  context: RunContext | null;
  tune: Tune | null;
  now: Tick | null;
  reportError: Error | null;
}

const noSteps: StepAxis = { schema: "flatout.step_axis/1", step: [], ms: [] };

// The page is made once for all that comes within this time after the run, instead of once for each.
const patienceMs = 60;

function useLate(ms: number, on: boolean): boolean {
  const [late, setLate] = useState(false);
  useEffect(() => {
    if (!on) return;
    const timer = setTimeout(() => setLate(true), ms);
    return () => clearTimeout(timer);
  }, [on]);
  return late;
}

const orElse = <T,>(value: T) => (error: Error): T => {
  if (error.name === "AbortError") throw error;
  return value;
};

function endOf(detail: RunDetail, now: Tick | null): number {
  const readings = detail.series.map((one) => one.last_ms ?? 0);
  return Math.max(0, now?.last_ms ?? 0, (detail.row.duration_s ?? 0) * 1000, readings.reduce((most, one) => Math.max(most, one), 0));
}

export function useRunData(id: string): RunData {
  const now = useSignal<Tick | null>(null);
  const slow = useSignal(0);
  const detail = useLoaded((stop) => getRun(id, stop), [id, slow.value]);
  const running = detail.data?.live ?? false;
  const report = useLoaded((stop) => getReport(id, stop), [id, slow.value]);
  const events = useLoaded((stop) => getEvents(id, stop).catch(orElse([])), [id, slow.value]);
  const placed = useLoaded((stop) => getStepAxis(id, stop).catch(orElse(noSteps)), [id, slow.value]);
  const kind = detail.data?.row.kind;
  const tune = useLoaded<Tune | null>((stop) => getTune(id, stop).catch(orElse(null)), [id, slow.value], kind === "tune");

  const together = report.answered && events.answered && placed.answered;
  const late = useLate(patienceMs, detail.answered);

  useEffect(() => {
    if (!running) return;
    let heard = 0;
    return listenToRun(id, (said) => {
      now.value = said;
      ++tick.value;
      if (++heard % reportEvery === 0 || said.state !== "running") ++slow.value;
    });
  }, [id, running]);

  const axis = useMemo(() => stepsAxis(placed.data ?? noSteps), [placed.data]);
  const context = detail.data && (together || late)
    ? { id, detail: detail.data, report: report.data, events: events.data ?? [], axis, endMs: endOf(detail.data, now.value) }
    : null;
  return { detail, context, tune: tune.data, now: now.value, reportError: report.error };
}
