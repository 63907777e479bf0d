// The steps: how long they take, of what they consist, how long most of them are.
import type uPlot from "uplot";
import { getSteps } from "../api/runs";
import type { StepsAnswer } from "../api/types";
import type { Figure } from "../plot/figure";
import { Panel } from "../plot/Panel";
import { spanOf } from "../plot/stairs";
import { useInView, useLoaded } from "../plot/useLoaded";
import { range, tick, xKind } from "../plot/view";
import { milliseconds } from "../format/quantity";
import { extentOf, timeRange, useRun } from "./context";
import { IdlePanel } from "./IdlePanel";
import { paintEvents } from "./marks";
import { phaseColour, spoken } from "./names";
import { Failure } from "./placeholders";

type X = "time" | "step";

const places = (answer: StepsAnswer, x: X) =>
  answer.buckets.map((bucket) => (x === "step" ? (bucket.first_step + bucket.last_step) / 2 : (bucket.from_ms + bucket.to_ms) / 2));

export function stepTime(answer: StepsAnswer, x: X): Figure {
  const { buckets } = answer;
  const several = buckets.some((bucket) => bucket.last_step > bucket.first_step);
  const band = several ? { low: buckets.map((one) => one.min_ms), high: buckets.map((one) => one.max_ms) } : {};
  return {
    title: "Step time", unit: "ms", xKind: x, xs: places(answer, x), shape: "lines", fromZero: true,
    lines: [{ label: "", colour: "line-0", values: buckets.map((one) => one.mean_ms), ...band }],
  };
}

export function phases(answer: StepsAnswer, x: X): Figure {
  const used = answer.phases.flatMap((name, i) => (answer.buckets.some((one) => (one.phase_ms[i] ?? 0) > 0) ? [{ name, i }] : []));
  return {
    title: "Phases of a step", unit: "ms", xKind: x, xs: places(answer, x), spans: answer.buckets.map((one) => spanOf(one, x)), shape: "stack",
    lines: used.map(({ name, i }) => ({ label: spoken(name), colour: phaseColour(name), values: answer.buckets.map((one) => one.phase_ms[i] ?? null) })),
  };
}

// Readings come ten times a second, steps may be shorter: what stands between two readings is no
// hole, but a longer time without any is.
export function busy(answer: StepsAnswer, x: X): Figure | null {
  const all = places(answer, x);
  const known = answer.buckets.flatMap((one, i) => (one.device_busy == null ? [] : [{ x: all[i]!, value: one.device_busy }]));
  if (known.length === 0) return null;
  const gaps = known.slice(1).map((one, i) => one.x - known[i]!.x).sort((a, b) => a - b);
  const usual = gaps[gaps.length >> 1] ?? 0;
  const xs: number[] = [];
  const values: (number | null)[] = [];
  for (const one of known) {
    const before = xs.at(-1);
    if (before !== undefined && one.x - before > 5 * usual) {
      xs.push((before + one.x) / 2);
      values.push(null);
    }
    xs.push(one.x);
    values.push(one.value);
  }
  const title = answer.device ? `Device busy in the steps, GPU ${answer.device}` : "Device busy in the steps";
  return { title, unit: "ratio", xKind: x, xs, shape: "lines", fromZero: true, yTop: 1, lines: [{ label: "", colour: "line-1", values }] };
}

export function histogram(answer: StepsAnswer): Figure | null {
  const found = answer.histogram;
  if (!found || found.counts.length === 0) return null;
  const xs = found.counts.map((_count, i) => (found.edges_ms[i]! + (found.edges_ms[i + 1] ?? found.edges_ms[i]!)) / 2);
  return { title: "Lengths of steps", unit: "count", xKind: "plain", xUnit: "ms", xs, shape: "bars", lines: [{ label: "", colour: "line-0", values: found.counts }] };
}

function Percentiles({ answer }: { answer: StepsAnswer }) {
  if (answer.p50_ms == null) return null;
  return <span class="mark">p50 {milliseconds(answer.p50_ms)}{answer.p99_ms == null ? "" : ` · p99 ${milliseconds(answer.p99_ms)}`}</span>;
}

export function StepPanels() {
  const run = useRun();
  const [box, seen] = useInView<HTMLDivElement>(true);
  const live = run.detail.live && !range.value ? tick.value : 0;
  const { data, error } = useLoaded(
    (stop) => getSteps(run.id, timeRange(run), (box.current?.clientWidth ?? 800) / 2, stop),
    [range.value?.[0], range.value?.[1], xKind.value, live, run.axis.extent?.[1]], seen,
  );
  if (error && !data) return <div ref={box}><Failure title="Steps" error={error} /></div>;
  if (!data || data.buckets.length === 0) return <div ref={box} class="slot-early" />;
  const x = xKind.value;
  const common = { run: run.id, extent: extentOf(run), painted: (plot: uPlot) => paintEvents(plot, run.events, xKind.peek() === "step", run.axis) };
  const lengths = histogram(data);
  const device = busy(data, x);
  return (
    <div class="grid steps" ref={box}>
      <div class="wide"><Panel id="phases" figure={phases(data, x)} height={220} {...common} /></div>
      <IdlePanel />
      <Panel id="step" figure={stepTime(data, x)} marks={<Percentiles answer={data} />} {...common} />
      {lengths && <Panel id="lengths" run={run.id} figure={lengths} extent={null} sync={null} />}
      {device && <Panel id="busy" figure={device} {...common} />}
    </div>
  );
}
