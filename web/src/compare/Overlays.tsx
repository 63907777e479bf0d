// A panel for each value that the runs have, a line for each run.
import { computed } from "@preact/signals";
import { getSeries, getSteps } from "../api/runs";
import type { RunDetail, SeriesInfo } from "../api/types";
import { route, setQuery } from "../app/route";
import { Panel } from "../plot/Panel";
import { useInView, useLoaded } from "../plot/useLoaded";
import { range } from "../plot/view";
import { Waiting, Failure } from "../run/placeholders";
import { isEmpty, type Figure } from "../plot/figure";
import { overlay, sharedValues, stepTimes, type Along, type Loaded } from "./overlay";

export const along = computed<Along>(() => {
  const text = route.value.query.get("along");
  return text === "relative" || text === "wall" ? text : "step";
});

function asked(detail: RunDetail, by: Along, begin: number): [number, number] | null {
  const now = range.peek();
  if (!now || by !== "wall") return now;
  const shift = (detail.row.started_ms ?? begin) - begin;
  return [now[0] - shift, now[1] - shift];
}

type Load = (width: number, stop: AbortSignal) => Promise<Figure>;

function loadValues(title: string, runs: { detail: RunDetail; info: SeriesInfo }[], order: string[]): Load {
  return async (width, stop) => {
    const by = along.peek();
    const begin = Math.min(...runs.map(({ detail }) => detail.row.started_ms ?? 0));
    const found = await Promise.all(runs.map(async ({ detail, info }): Promise<Loaded | null> => {
      const x = by === "step" && info.first_step != null ? "step" : "time";
      if (by === "step" && x === "time") return null;
      const [series] = await getSeries(detail.row.id, { keys: [info.key], x, range: asked(detail, by, begin), width }, stop);
      return series ? { detail, series } : null;
    }));
    return overlay(title, runs[0]!.info.unit ?? "", found.filter((one): one is Loaded => one !== null), by, order);
  };
}

// Along steps a zoom is only a cut: the server takes ranges of time for these.
function loadSteps(details: RunDetail[], order: string[]): Load {
  return async (width, stop) => {
    const by = along.peek();
    const begin = Math.min(...details.map((detail) => detail.row.started_ms ?? 0));
    const found = await Promise.all(details.map(async (detail): Promise<Loaded | null> => {
      const answer = await getSteps(detail.row.id, by === "step" ? null : asked(detail, by, begin), by === "step" ? width * 3 : width, stop);
      return answer.buckets.length ? { detail, series: stepTimes(answer, by) } : null;
    }));
    return { ...overlay("Step time", "ms", found.filter((one): one is Loaded => one !== null), by, order), fromZero: true };
  };
}

function Overlay({ name, load, order }: { name: string; load: Load; order: string[] }) {
  const [box, seen] = useInView<HTMLDivElement>(true);
  const { data, error } = useLoaded((stop) => load(box.current?.clientWidth ?? 600, stop), [name, order.join(), along.value, range.value?.[0], range.value?.[1]], seen);
  const nothing = !data || !isEmpty(data) ? null : data.xs.length > 0 ? "no number here: all are NaN or infinite" : "has no steps: look along time";
  return (
    <div class="slot" ref={box}>
      {error && !data && <Failure title={name} error={error} />}
      {(!data || nothing) && !error && <Waiting title={name} {...(nothing ? { text: nothing } : {})} />}
      {data && !nothing && <Panel id={`c.${name}`} run={order.join("-")} figure={data} extent={range.value} />}
    </div>
  );
}

export function Overlays({ details }: { details: RunDetail[] }) {
  const order = details.map((one) => one.row.id);
  return (
    <div class="grid">
      {details.some((one) => (one.row.steps ?? 0) > 0) && <Overlay name="Step time" load={loadSteps(details, order)} order={order} />}
      {[...sharedValues(details)].map(([name, runs]) => {
        const title = name.replace(/^flatout\./, "");
        return <Overlay key={name} name={title} load={loadValues(title, runs, order)} order={order} />;
      })}
    </div>
  );
}

export function AlongChoice() {
  const names: [Along, string][] = [["step", "Steps"], ["relative", "Time of the run"], ["wall", "Wall time"]];
  return (
    <div class="choice" role="group" aria-label="Axis">
      {names.map(([id, title]) => <button type="button" key={id} aria-pressed={along.value === id} onClick={() => setQuery({ along: id === "step" ? null : id, from: null, to: null })}>{title}</button>)}
    </div>
  );
}
