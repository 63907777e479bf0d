// A panel for each value that the runs have, a line for each run.
import { computed } from "@preact/signals";
import { getSeries } from "../api/runs";
import type { RunDetail, SeriesInfo } from "../api/types";
import { route, setQuery } from "../app/route";
import { Panel } from "../plot/Panel";
import { useInView, useLoaded } from "../plot/useLoaded";
import { range } from "../plot/view";
import { Waiting, Failure } from "../run/placeholders";
import { overlay, sharedValues, type Along, type Loaded } from "./overlay";

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

async function load(title: string, runs: { detail: RunDetail; info: SeriesInfo }[], order: string[], width: number, stop: AbortSignal) {
  const by = along.peek();
  const begin = Math.min(...runs.map(({ detail }) => detail.row.started_ms ?? 0));
  const found = await Promise.all(runs.map(async ({ detail, info }): Promise<Loaded | null> => {
    const x = by === "step" && info.first_step != null ? "step" : "time";
    if (by === "step" && x === "time") return null;
    const [series] = await getSeries(detail.row.id, { keys: [info.key], x, range: asked(detail, by, begin), width }, stop);
    return series ? { detail, info, series } : null;
  }));
  const known = found.filter((one): one is Loaded => one !== null);
  return overlay(title, runs[0]!.info.unit ?? "", known, by, order);
}

function Overlay({ name, runs, order }: { name: string; runs: { detail: RunDetail; info: SeriesInfo }[]; order: string[] }) {
  const [box, seen] = useInView<HTMLDivElement>();
  const { data, error } = useLoaded((stop) => load(name, runs, order, box.current?.clientWidth ?? 600, stop), [name, order.join(), along.value, range.value?.[0], range.value?.[1]], seen);
  const nothing = data && data.lines.length === 0;
  return (
    <div class="slot" ref={box}>
      {error && !data && <Failure title={name} error={error} />}
      {(!data || nothing) && !error && <Waiting title={name} {...(nothing ? { text: "has no steps: look along time" } : {})} />}
      {data && !nothing && <Panel id={`c.${name}`} run={order.join("-")} figure={data} extent={range.value} />}
    </div>
  );
}

export function Overlays({ details }: { details: RunDetail[] }) {
  const shared = sharedValues(details);
  const order = details.map((one) => one.row.id);
  if (shared.size === 0) return <p class="muted">These runs logged no values.</p>;
  return <div class="grid">{[...shared].map(([name, runs]) => <Overlay key={name} name={name} runs={runs} order={order} />)}</div>;
}

export function AlongChoice() {
  const names: [Along, string][] = [["step", "Steps"], ["relative", "Time of the run"], ["wall", "Wall time"]];
  return (
    <div class="choice" role="group" aria-label="Axis">
      {names.map(([id, title]) => <button type="button" key={id} aria-pressed={along.value === id} onClick={() => setQuery({ along: id === "step" ? null : id, from: null, to: null })}>{title}</button>)}
    </div>
  );
}
