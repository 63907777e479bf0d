// What the API answers (docs/ui.md); documents that the command line writes as well are generated
// into schema/. What is not known is null or absent, never 0.
export type { Report, Finding, Device, Advice } from "./schema/report";
export type { Tune } from "./schema/tune";
export type { Compare, Contrast } from "./schema/compare";

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

export interface Tracked {
  id: string;
  project?: string | null;
  name?: string | null;
  group?: string | null;
  job_type?: string | null;
  tags?: string[];
  config?: { [key: string]: Json };
  summary?: { [key: string]: Json };
}

export interface RunRow {
  id: string;
  name?: string | null;
  state: string;
  started_ms?: number | null;
  duration_s?: number | null;
  command?: string | null;
  host?: string | null;
  kind?: string | null;
  parent?: string | null;
  tags?: string[];
  note?: string | null;
  bytes?: number | null;
  verdict?: { finding?: string; cause?: string; summary?: string; confidence?: number } | null;
  steps?: number | null;
  median_ms?: number | null;
  samples_per_s?: number | null;
  device_busy?: number | null;
  tracked?: Tracked | null;
}

export interface RunPage {
  total: number;
  matched: number;
  runs: RunRow[];
}

export interface SeriesInfo {
  key: string;
  name: string;
  kind: "metric" | "value" | "step";
  unit?: string | null;
  source?: string | null;
  label?: string | null;
  pid?: number | null;
  device?: number | null;
  track?: number | null;
  count: number;
  first_ms?: number | null;
  last_ms?: number | null;
  first_step?: number | null;
  last_step?: number | null;
  last?: number | null;
  min?: number | null;
  max?: number | null;
}

// What a script logged beside numbers: text as it is, the rest as an object that names its type.
export interface TrackedPart {
  rows?: { t_ms: number; step?: number | null; data: { [key: string]: Json } }[];
  files?: { path: string; file: string; bytes?: number | null; kind: string }[];
}

export interface RunDetail {
  row: RunRow;
  describe?: { [key: string]: Json };
  tracked?: TrackedPart[];
  series: SeriesInfo[];
  devices?: { index: number; name?: string | null }[];
  live: boolean;
}

// One series at the resolution that was asked for. `low`, `high` and `mean` are of a column of
// pixels; where the points are the recorded ones (raw) they are the values themselves, and a server
// that gives no means has `last` there.
export interface Series {
  key: string;
  x: number[];
  low: (number | null)[];
  high: (number | null)[];
  mean: (number | null)[];
  last: (number | null)[];
  raw: boolean;
}

export interface StepBucket {
  first_step: number;
  last_step: number;
  from_ms: number;
  to_ms: number;
  mean_ms: number;
  min_ms: number;
  max_ms: number;
  phase_ms: (number | null)[];
  device_busy?: number | null;
}

export interface StepsAnswer {
  pids?: number[];
  phases: string[];
  buckets: StepBucket[];
  histogram?: { edges_ms: number[]; counts: number[] } | null;
  p50_ms?: number | null;
  p99_ms?: number | null;
  warmup_steps?: number | null;
}

export interface RanksAnswer {
  ranks: { rank: number; pid?: number; label?: string }[];
  edges_ms: number[];
  step_ms: (number | null)[][];
}

export interface OutputLine {
  t_ns: number; // since the run began
  pid: number;
  stream?: "stdout" | "stderr";
  text?: string; // absent: a gap, where lines are left out
  going_on?: boolean;
  left_out_lines?: number;
  left_out_bytes?: number;
}

export interface Output {
  processes: { pid: number; bytes: number; left_out_lines: number; left_out_bytes: number }[];
  lines: OutputLine[];
  more: boolean;
  reached_ns: number | null;
}

export interface RunEvent {
  t_ms: number;
  step?: number | null;
  kind: string;
  title: string;
  text?: string | null;
  level?: string | null;
}

export interface ConfigDiff {
  keys: { key: string; values: Json[] }[];
}
