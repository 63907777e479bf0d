// Why a traced device idles, over the steps: what was traced of each, by cause.
import type uPlot from "uplot";
import { setQuery, route } from "../app/route";
import { getIdle } from "../api/runs";
import type { IdleAnswer } from "../api/types";
import type { Figure } from "../plot/figure";
import { Panel } from "../plot/Panel";
import { spanOf } from "../plot/stairs";
import { useInView, useLoaded } from "../plot/useLoaded";
import { range, tick, xKind } from "../plot/view";
import { extentOf, timeRange, useRun } from "./context";
import { paintEvents } from "./marks";
import { idleCauses } from "./names";

type X = "time" | "step";
type Bucket = IdleAnswer["buckets"][number];

const placeOf = (bucket: Bucket, x: X): number | null =>
  x === "time" ? (bucket.from_ms + bucket.to_ms) / 2 : bucket.first_step === null ? null : (bucket.first_step + bucket.last_step!) / 2;

// Shares of the traced time; a bucket of which nothing was traced is a hole.
export function idleFigure(answer: IdleAnswer, x: X, title: string): Figure | null {
  const buckets = answer.buckets.filter((one) => placeOf(one, x) !== null);
  const used = idleCauses.flatMap(([key, label, colour]) => {
    const at = answer.causes.indexOf(key);
    return at >= 0 && buckets.some((one) => (one.idle_ms?.[at] ?? 0) > 0) ? [{ at, label, colour }] : [];
  });
  if (used.length === 0) return null;
  return {
    title, unit: "ratio", xKind: x, xs: buckets.map((one) => placeOf(one, x)!), spans: buckets.map((one) => spanOf(one, x)), shape: "stack", yTop: 1,
    lines: used.map(({ at, label, colour }) => ({ label, colour, values: buckets.map((one) => (one.idle_ms === null ? null : one.idle_ms[at]! / one.known_ms)) })),
  };
}

function Choice({ answer, chosen }: { answer: IdleAnswer; chosen: number }) {
  if (answer.devices.length < 2) return null;
  return (
    <select class="mark-choice" aria-label="Device" value={chosen} onChange={(event) => setQuery({ idle: event.currentTarget.value === "0" ? null : event.currentTarget.value })}>
      {answer.devices.map((one, i) => <option key={i} value={i}>{one.label}{one.rank === null ? "" : `, rank ${one.rank}`}</option>)}
    </select>
  );
}

export function IdlePanel() {
  const run = useRun();
  const [box, seen] = useInView<HTMLDivElement>();
  const live = run.detail.live && !range.value ? Math.floor(tick.value / 5) : 0;
  const chosen = Math.max(0, Math.floor(Number(route.value.query.get("idle")) || 0));
  const { data, error } = useLoaded(
    (stop) => getIdle(run.id, { number: chosen, range: timeRange(run), width: box.current?.clientWidth ?? 800 }, stop),
    [chosen, range.value?.[0], range.value?.[1], live], seen,
  );
  const figure = data && idleFigure(data, run.axis.extent ? xKind.value : "time", "Why the device idles, by step");
  const painted = (plot: uPlot) => paintEvents(plot, run.events, xKind.peek() === "step", run.axis);
  return (
    <div class="wide" ref={box}>
      {error && !data && <p class="problem" role="alert">{error.message}</p>}
      {data && figure && (
        <Panel id="idle" run={run.id} figure={figure} extent={extentOf(run)} marks={<><span class="mark">share of the time that was traced</span><Choice answer={data} chosen={chosen} /></>} painted={painted} />
      )}
    </div>
  );
}
