// The training's loader over time: batches that lie ready, how long the training waits for one, and
// how long each worker takes for one.
import type uPlot from "uplot";
import { getLoader } from "../api/runs";
import type { LoaderAnswer } from "../api/types";
import type { Figure, Line } from "../plot/figure";
import { isEmpty } from "../plot/figure";
import { Panel } from "../plot/Panel";
import { lineColour, lineDash } from "../plot/palette";
import { useInView, useLoaded } from "../plot/useLoaded";
import { range, tick, xKind } from "../plot/view";
import { extentOf, timeRange, useRun, type RunContext } from "./context";
import { paintEvents } from "./marks";

const mostWorkers = 8; // lines; of more of them their mean and its spread

type Values = (number | null)[];

function workerLines({ workers, buckets }: LoaderAnswer): Line[] {
  if (workers.length <= mostWorkers)
    return workers.map((one, i) => ({ label: one.label, colour: lineColour(i), dash: lineDash(i), values: buckets.map((bucket) => bucket.fetch_ms[i] ?? null) }));
  const known = buckets.map((bucket) => bucket.fetch_ms.filter((ms): ms is number => ms !== null));
  const of = (pick: (ms: number[]) => number): Values => known.map((ms) => (ms.length ? pick(ms) : null));
  const mean = (ms: number[]) => ms.reduce((sum, one) => sum + one, 0) / ms.length;
  return [{ label: `${workers.length} workers, mean`, colour: lineColour(0), values: of(mean), low: of((ms) => Math.min(...ms)), high: of((ms) => Math.max(...ms)) }];
}

export function loaderFigures(answer: LoaderAnswer, x: "time" | "step", place: (ms: number) => number | null): { id: string; figure: Figure }[] {
  const buckets = answer.buckets.filter((one) => place((one.from_ms + one.to_ms) / 2) !== null);
  const xs = buckets.map((one) => place((one.from_ms + one.to_ms) / 2)!);
  const figure = (title: string, unit: string, lines: Line[]): Figure => ({ title, unit, xKind: x, xs, shape: "lines", fromZero: true, lines });
  const ready: Line = { label: "", colour: "line-2", values: buckets.map((one) => one.ready_mean), low: buckets.map((one) => one.ready_min), high: buckets.map((one) => one.ready_max) };
  const waits: Line[] = [
    { label: "mean", colour: "line-0", values: buckets.map((one) => one.wait_mean_ms) },
    { label: "longest", colour: "line-1", dash: lineDash(1), values: buckets.map((one) => one.wait_max_ms) },
  ];
  return [
    { id: "ready", figure: figure("Batches ready", "count", [ready]) },
    { id: "waits", figure: figure("The training waits for a batch", "ms", waits) },
    { id: "fetch", figure: figure("A batch takes", "ms", workerLines({ ...answer, buckets })) },
  ].filter(({ figure: one }) => !isEmpty(one));
}

const placeIn = (run: RunContext) => (ms: number) => (xKind.value === "step" ? run.axis.toStep(ms) : ms);

export function LoaderTimes() {
  const run = useRun();
  const [box, seen] = useInView<HTMLDivElement>();
  const live = run.detail.live && !range.value ? Math.floor(tick.value / 5) : 0;
  const { data, error } = useLoaded(
    (stop) => getLoader(run.id, timeRange(run), (box.current?.clientWidth ?? 900) / 2, stop),
    [range.value?.[0], range.value?.[1], live], seen,
  );
  const painted = (plot: uPlot) => paintEvents(plot, run.events, xKind.peek() === "step", run.axis);
  return (
    <div class="grid" ref={box}>
      {error && !data && <p class="problem" role="alert">{error.message}</p>}
      {data && loaderFigures(data, xKind.value, placeIn(run)).map(({ id, figure }) => (
        <Panel key={id} id={`loader-${id}`} run={run.id} figure={figure} extent={extentOf(run)} painted={painted} />
      ))}
    </div>
  );
}
