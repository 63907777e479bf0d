// Values of several runs on one axis: by step, by time since each run began, or by wall time.
import type { RunDetail, Series, SeriesInfo, StepsAnswer } from "../api/types";
import { align } from "../plot/align";
import type { Figure } from "../plot/figure";
import { lineColour, lineDash } from "../plot/palette";

export type Along = "step" | "relative" | "wall";

export interface Loaded {
  detail: RunDetail;
  series: Series;
}

// The step time as a series like those that were logged.
export function stepTimes(answer: StepsAnswer, along: Along): Series {
  const { buckets } = answer;
  const mean = buckets.map((one) => one.mean_ms);
  return {
    key: "step time", raw: false, mean, last: mean, low: buckets.map((one) => one.min_ms), high: buckets.map((one) => one.max_ms),
    x: buckets.map((one) => (along === "step" ? (one.first_step + one.last_step) / 2 : (one.from_ms + one.to_ms) / 2)),
  };
}

export const runName = (detail: RunDetail) => detail.row.name || detail.row.tracked?.name || detail.row.id;

// Which series of which runs a panel holds. Ranks log the same: the first process speaks for its run.
export function sharedValues(details: RunDetail[]): Map<string, { detail: RunDetail; info: SeriesInfo }[]> {
  const found = new Map<string, { detail: RunDetail; info: SeriesInfo }[]>();
  for (const detail of details) {
    const seen = new Set<string>();
    for (const info of detail.series) {
      if (info.kind !== "value" || info.count === 0 || seen.has(info.name)) continue;
      seen.add(info.name);
      found.set(info.name, [...(found.get(info.name) ?? []), { detail, info }]);
    }
  }
  return new Map([...found].filter(([, runs]) => runs.length > 0).sort(([a], [b]) => a.localeCompare(b)));
}

export function overlay(title: string, unit: string, all: Loaded[], along: Along, order: string[]): Figure {
  const begin = Math.min(...all.map(({ detail }) => detail.row.started_ms ?? 0));
  const moved = all.map(({ detail, series }): Series => {
    const by = along === "wall" ? (detail.row.started_ms ?? begin) - begin : 0;
    return by === 0 ? series : { ...series, x: series.x.map((x) => x + by) };
  });
  const { xs, columns } = align(moved);
  return {
    title, unit, xKind: along === "step" ? "step" : "time", xs, shape: "lines",
    lines: all.map(({ detail }, i) => {
      const at = order.indexOf(detail.row.id);
      return { label: runName(detail) === detail.row.id ? detail.row.id : `${runName(detail)} (${detail.row.id})`, colour: lineColour(at), dash: lineDash(at), ...columns[i]! };
    }),
  };
}
