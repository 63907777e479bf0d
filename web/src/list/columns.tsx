// Columns of the list: how they are named, sorted, written.
import type { ComponentChildren } from "preact";
import type { RunRow } from "../api/types";
import { flatten, text } from "../format/json";
import { ago, exact } from "../format/moment";
import { bytes, digits, milliseconds, orNothing, percent, seconds } from "../format/quantity";
import { spoken } from "../run/names";

export interface Column {
  id: string; // what the API sorts by
  title: string;
  width: string;
  number?: boolean;
  show(row: RunRow): ComponentChildren;
}

const number = (id: string, title: string, width: string, show: (row: RunRow) => string): Column => ({ id, title, width, number: true, show });

export const fixedColumns: Column[] = [
  {
    id: "verdict", title: "Verdict", width: "minmax(150px, 1.4fr)",
    show: (row) => row.verdict?.finding ? <span title={row.verdict.summary}><b class="what">{spoken(row.verdict.finding)}</b> <span class="muted">{row.verdict.cause && spoken(row.verdict.cause)}</span></span> : <span class="muted">–</span>,
  },
  number("device_busy", "Busy", "76px", (row) => percent(row.device_busy)),
  number("median_ms", "Step", "88px", (row) => orNothing(row.median_ms, milliseconds)),
  number("samples_per_s", "Samples/s", "96px", (row) => orNothing(row.samples_per_s, digits)),
  number("steps", "Steps", "80px", (row) => orNothing(row.steps, digits)),
  number("duration_s", "Duration", "104px", (row) => orNothing(row.duration_s, seconds)),
  {
    id: "started_ms", title: "Started", width: "104px",
    show: (row) => orNothing(row.started_ms, (ms) => ago(ms, Date.now())) && (row.started_ms ? <time title={exact(row.started_ms)}>{ago(row.started_ms, Date.now())}</time> : "–"),
  },
  { id: "tags", title: "Tags", width: "minmax(90px, .7fr)", show: (row) => tagsOf(row).map((tag) => <span class="tag" key={tag}>{tag}</span>) },
  { id: "project", title: "Project", width: "110px", show: (row) => row.tracked?.project ?? "–" },
  { id: "group", title: "Group", width: "100px", show: (row) => row.tracked?.group ?? "–" },
  { id: "job_type", title: "Job type", width: "90px", show: (row) => row.tracked?.job_type ?? "–" },
  { id: "kind", title: "Kind", width: "76px", show: (row) => row.kind ?? "–" },
  { id: "host", title: "Host", width: "100px", show: (row) => row.host ?? "–" },
  number("bytes", "Size", "84px", (row) => orNothing(row.bytes, bytes)),
  { id: "note", title: "Note", width: "minmax(100px, 1fr)", show: (row) => row.note ?? "–" },
];

export const standardColumns = ["verdict", "device_busy", "median_ms", "samples_per_s", "steps", "duration_s", "started_ms", "tags"];

export function tagsOf(row: RunRow): string[] {
  return [...new Set([...(row.tags ?? []), ...(row.tracked?.tags ?? [])])];
}

function tracked(id: string): Column {
  const [root, ...rest] = id.split(".");
  const key = rest.join(".");
  return {
    id, title: key, width: "112px", number: true,
    show: (row) => text(flatten(root === "summary" ? row.tracked?.summary : row.tracked?.config).get(key)),
  };
}

export function columnOf(id: string): Column | null {
  if (id.startsWith("config.") || id.startsWith("summary.")) return tracked(id);
  return fixedColumns.find((column) => column.id === id) ?? null;
}

// Keys of config and summary that some of these runs have.
export function trackedColumns(rows: Iterable<RunRow>): string[] {
  const found = new Set<string>();
  for (const row of rows) {
    for (const key of flatten(row.tracked?.config).keys()) found.add(`config.${key}`);
    for (const key of flatten(row.tracked?.summary).keys()) found.add(`summary.${key}`);
  }
  return [...found].sort();
}
