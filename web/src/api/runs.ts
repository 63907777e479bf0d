// The calls of the API, by name.
import { address, listAddress, ofRun as of, stepAxisAddress, type ListQuery } from "./address";
import { readColumns } from "./columns";
import { ask, getJson } from "./http";
import type {
  Compare,
  ConfigDiff,
  IdleAnswer,
  LanesAnswer,
  LoaderAnswer,
  Output,
  RanksAnswer,
  Report,
  RunDetail,
  RunEvent,
  RunPage,
  RunRow,
  Series,
  StepAxis,
  StepsAnswer,
  Tune,
} from "./types";

export type XKind = "time" | "step";
export type Range = [number, number] | null;

export function listRuns(query: ListQuery, signal?: AbortSignal): Promise<RunPage> {
  return getJson(listAddress(query), signal);
}

export const getRun = (id: string, signal?: AbortSignal) => getJson<RunDetail>(address(of(id)), signal);
export const getReport = (id: string, signal?: AbortSignal) => getJson<Report>(address(of(id, "/report")), signal);
export const getTune = (id: string, signal?: AbortSignal) => getJson<Tune>(address(of(id, "/tune")), signal);
export const getRanks = (id: string, signal?: AbortSignal) => getJson<RanksAnswer>(address(of(id, "/ranks")), signal);
export const fileAddress = (id: string, name: string) => address(of(id, `/files/${encodeURIComponent(name)}`));
export const reportPage = (id: string) => address(of(id, "/page"));

export async function getEvents(id: string, signal?: AbortSignal): Promise<RunEvent[]> {
  return (await getJson<{ events: RunEvent[] }>(address(of(id, "/events")), signal)).events;
}

export interface OutputQuery {
  from_ns?: number;
  to_ns?: number;
  limit?: number;
  end?: "first" | "last";
  stream?: string | null;
  contains?: string | null;
  states?: "last" | "all";
}

export const getOutput = (id: string, query: OutputQuery, signal?: AbortSignal) => getJson<Output>(address(of(id, "/output"), { ...query }), signal);

export interface SeriesQuery {
  keys: string[];
  x: XKind;
  range: Range;
  width: number;
}

type Values = (number | null)[];

interface SeriesJson {
  series: { key: string; x: number[]; min?: Values; max?: Values; mean?: Values; last: Values; raw: boolean }[];
}

// As columns where the server has them, else as JSON.
export async function getSeries(id: string, query: SeriesQuery, signal?: AbortSignal): Promise<Series[]> {
  const url = address(of(id, "/series"), {
    key: query.keys,
    x: query.x,
    from: query.range?.[0],
    to: query.range?.[1],
    width: Math.max(20, Math.round(query.width)),
  });
  const headers = { Accept: "application/vnd.flatout.columns, application/json;q=0.5" };
  const response = await ask(url, signal ? { headers, signal } : { headers });
  if (response.headers.get("Content-Type")?.startsWith("application/json")) {
    const { series } = (await response.json()) as SeriesJson;
    return series.map(({ key, x, last, raw, ...one }) => {
      const or = (values: Values | undefined) => (values?.length === x.length ? values : last);
      return { key, x, last, raw, low: or(one.min), high: or(one.max), mean: or(one.mean) };
    });
  }
  return readColumns(await response.arrayBuffer());
}

export const getStepAxis = (id: string, signal?: AbortSignal) => getJson<StepAxis>(stepAxisAddress(id), signal);

const part = (range: Range, width: number) => ({ from: range?.[0], to: range?.[1], width: Math.max(20, Math.round(width)) });

// Of all of these `range` is in ms since the run began.
export const getSteps = (id: string, range: Range, width: number, signal?: AbortSignal) =>
  getJson<StepsAnswer>(address(of(id, "/steps"), part(range, width)), signal);
export const getIdle = (id: string, { number, range, width }: { number: number; range: Range; width: number }, signal?: AbortSignal) =>
  getJson<IdleAnswer>(address(of(id, "/idle"), { number, ...part(range, width) }), signal);
export const getLoader = (id: string, range: Range, width: number, signal?: AbortSignal) =>
  getJson<LoaderAnswer>(address(of(id, "/loader"), part(range, width)), signal);
// Without a range: a few steps from the middle.
export const getLanes = (id: string, range: Range, width: number, signal?: AbortSignal) =>
  getJson<LanesAnswer>(address(of(id, "/lanes"), part(range, width)), signal);

export const getCompare = (a: string, b: string, signal?: AbortSignal) =>
  getJson<Compare>(address("/compare", { a, b }), signal);
export const getConfigDiff = (ids: string[], signal?: AbortSignal) =>
  getJson<ConfigDiff>(address("/config-diff", { id: ids }), signal);

export async function changeRun(id: string, change: { tags?: string[]; note?: string }): Promise<RunRow> {
  const response = await ask(address(of(id)), {
    method: "PATCH",
    headers: { "Content-Type": "application/json" },
    body: JSON.stringify(change),
  });
  return (await response.json()) as RunRow;
}
