// Written by tools/gen_types.mjs from schema/openapi.json. Long where the schema is: one type a definition.

export interface Error {
error: {
code: string
message: string
}
}
export interface Verdict {
finding: string
cause: string
summary: string
confidence: (number | null)
}
export interface Headline {
id: string
project: string
name: string
group: string
job_type: string
tags: string[]
config: {
[k: string]: unknown
}
summary: {
[k: string]: unknown
}
branch?: ("fork" | "rewind")
from?: string
from_step?: number
}
export interface RunRow {
id: string
name: string
state: ("running" | "finished" | "failed" | "killed" | "lost" | "damaged")
/**
 * since 1970
 */
started_ms: (number | null)
duration_s: (number | null)
command: string
host: string
kind: ("run" | "tune" | "search" | "trial")
parent: (string | null)
tags: string[]
note: string
bytes: number
/**
 * why its recording cannot be read
 */
problem: (string | null)
verdict: (Verdict | null)
steps: (number | null)
median_ms: (number | null)
samples_per_s: (number | null)
/**
 * 0 to 1
 */
device_busy: (number | null)
/**
 * of a tune or search, in the list: its state and duration_s there are those of the whole
 */
trials?: number
tracked: (Headline | null)
}
export interface RunList {
schema: "flatout.runs/1"
/**
 * without trials where the query leaves them out by kind != trial
 */
total: number
matched: number
/**
 * runs that are still being read, and are in a later answer: of a large store those of the newest folders come first
 */
unread: number
/**
 * fields of the query that no run has
 */
notes: string[]
runs: RunRow[]
}
export interface SeriesInfo {
key: string
name: string
kind: ("metric" | "value")
unit: string
source: string
label: string
pid: (number | null)
device: (number | null)
track: (number | null)
count: number
first_ms: number
last_ms: number
first_step: (number | null)
last_step: (number | null)
last: (number | null)
min: (number | null)
max: (number | null)
}
export interface TrackedRow {
t_ms: number
step: (number | null)
data: {
[k: string]: unknown
}
}
export interface TrackedFile {
t_ms: number
path: string
/**
 * its name for /files
 */
file: string
bytes: (number | null)
kind: string
artifact: ({
[k: string]: unknown
} | null)
}
export interface TrackedRun {
source: string
id: string
project: string
entity: string
name: string
group: string
job_type: string
tags: string[]
notes: string
mode: string
config: {
[k: string]: unknown
}
summary: {
[k: string]: unknown
}
parts: {
pid: number
track: number
started_ms: number
ended_ms: (number | null)
exit_code: (number | null)
namespace: string
resumed: boolean
/**
 * rewound: its series are not listed, and can still be asked for
 */
archived?: boolean
}[]
branch?: ({
kind: ("fork" | "rewind")
from: string
from_step: (number | null)
/**
 * copied; null: not yet
 */
values: (number | null)
rows: number
problem: string
} | null)
metrics: {
name: string
step_metric: string
step_sync: boolean
hidden: boolean
summary: string
goal: string
}[]
rows: TrackedRow[]
files: TrackedFile[]
exit_code: (number | null)
lost_values: number
lost_facts: number
}
export interface Run {
schema: "flatout.run/1"
row: RunRow
/**
 * flatout.show/1 (schema/show.schema.json)
 */
describe: {
[k: string]: unknown
}
tracked: TrackedRun[]
series: SeriesInfo[]
devices: {
index: number
name: string
}[]
live: boolean
}
export interface Curve {
key: string
x: number[]
min: (number | null)[]
max: (number | null)[]
mean: (number | null)[]
last: (number | null)[]
raw: boolean
}
export interface Series {
schema: "flatout.series/1"
x: ("time" | "step")
series: Curve[]
}
export interface StepBucket {
first_step: number
last_step: number
from_ms: number
to_ms: number
mean_ms: number
min_ms: number
max_ms: number
phase_ms: number[]
device_busy: (number | null)
}
export interface Steps {
schema: "flatout.steps/1"
/**
 * whose readings device_busy is: on which the process computes
 */
device: (number | null)
pids: number[]
phases: string[]
buckets: StepBucket[]
histogram: {
edges_ms: number[]
counts: number[]
}
p50_ms: (number | null)
p99_ms: (number | null)
warmup_steps: number
}
export interface StepAxis {
schema: "flatout.step_axis/1"
step: number[]
ms: number[]
}
export interface Ranks {
ranks: {
rank: (number | null)
pid: number
label: string
}[]
edges_ms: number[]
step_ms: (number | null)[][]
}
export interface Idle {
schema: "flatout.idle/1"
devices: {
pid: number
device: number
rank: (number | null)
label: string
}[]
causes: string[]
buckets: {
first_step: (number | null)
last_step: (number | null)
from_ms: number
to_ms: number
/**
 * of this time, what was traced
 */
known_ms: number
idle_ms: (number[] | null)
}[]
}
export interface Loader {
schema: "flatout.loader/1"
workers: {
pid: (number | null)
label: string
}[]
in_step_thread: boolean
buckets: {
from_ms: number
to_ms: number
/**
 * batches that were fetched and not taken yet
 */
ready_mean: (number | null)
ready_min: (number | null)
ready_max: (number | null)
/**
 * batches that were taken
 */
draws: number
wait_mean_ms: (number | null)
wait_max_ms: (number | null)
/**
 * mean of a batch, by worker
 */
fetch_ms: (number | null)[]
}[]
}
export interface Lanes {
schema: "flatout.lanes/1"
from_ms: number
/**
 * what is shown; less than was asked for where that holds too much
 */
to_ms: number
names: {
text: string
kind: string
}[]
lanes: {
group: string
label: string
kind: ("phases" | "batches" | "ops" | "calls" | "stream" | "idle")
spans: [number, number, number, number, number][]
}[]
/**
 * lanes
 */
left_out: number
steps: {
step: number
at_ms: number
}[]
}
export interface Event {
t_ms: number
step: (number | null)
kind: ("start" | "end" | "checkpoint" | "eval" | "alert" | "problem" | "fix")
title: string
text: string
level: ("INFO" | "WARN" | "ERROR")
}
export interface Events {
schema: "flatout.events/1"
events: Event[]
}
export interface OutputLine {
/**
 * since the run began
 */
t_ns: number
pid: number
stream?: ("stdout" | "stderr")
text?: string
/**
 * the line was not finished
 */
going_on?: boolean
/**
 * of a gap, which has neither stream nor text: in all so far
 */
left_out_lines?: number
/**
 * of this line, or of a gap: in all so far
 */
left_out_bytes?: number
}
export interface Output {
schema: "flatout.output/1"
processes: {
pid: number
bytes: number
left_out_lines: number
left_out_bytes: number
}[]
lines: OutputLine[]
more: boolean
/**
 * where a long search stopped: ask again from here
 */
reached_ns: (number | null)
}
export interface ConfigDiff {
schema: "flatout.config_diff/1"
keys: {
key: string
values: unknown[]
}[]
}
export interface Change {
/**
 * Items: no blanks, commas or control characters
 */
tags?: string[]
note?: string
}
