// Written by tools/gen_types.mjs from schema/tune.schema.json. Long where the schema is: one type a definition.

/**
 * 95 %.
 * 
 * @minItems 2
 * @maxItems 2
 */
export type Interval = [number, number]
/**
 * Ids in the store.
 */
export type Runs = string[]
export type Value = (number | boolean | string)

/**
 * What `flatout tune --json` writes. Keys are added in later versions, never changed. An absent key was not measured.
 */
export interface Tune {
schema: "flatout.tune/1"
/**
 * The first run; the others have it as their parent.
 */
id: string
/**
 * Of a trial.
 */
steps: number
baseline: {
samples_per_s?: number
interval?: Interval
device_busy?: number
runs: Runs
/**
 * Standard deviation between runs of the same setting, as a share.
 */
noise?: number
}
/**
 * In the order in which they were decided; each on top of what was kept before it.
 */
trials: {
knob: string
from?: Value
to: Value
predicted_speedup?: number
predicted_interval?: Interval
speedup?: number
interval?: Interval
samples_per_s?: number
loss_gate: ("passed" | "failed" | "inconclusive" | "not_needed")
kept: boolean
reason: string
runs: Runs
/**
 * Pairs of blocks of steps inside one process that the speedup rests on. Absent: on runs of their own.
 */
block_pairs?: number
/**
 * Present and true where it is faster for sure, and not kept because nothing shows so far that the training stays the same.
 */
unproved?: true
/**
 * Seconds, about, that showing it takes. Absent where more time alone does not show it.
 */
proof_s?: number
}[]
/**
 * Knobs that were not tried.
 */
skipped: {
knob: string
reason: string
}[]
/**
 * All that was kept against the baseline, from runs of their own; absent when nothing was kept.
 */
final?: {
samples_per_s?: number
speedup?: number
interval?: Interval
device_busy?: number
/**
 * Of all that was kept together.
 */
loss_gate?: ("passed" | "failed" | "inconclusive" | "not_needed")
/**
 * Faster for sure, and the loss gate has nothing against it.
 */
confirmed: boolean
/**
 * Present and true where the interval of the final comparison holds both no gain and what was proved before, so that it tells nothing. What was kept before stands then, unless it is contradicted.
 */
too_noisy?: boolean
/**
 * Present and true where the budget ended, or the program as it is could not be measured, before the final comparison could tell. What was kept before stands then.
 */
out_of_time?: boolean
runs: Runs
/**
 * As of a trial.
 */
block_pairs?: number
}
prediction_error_median?: number
seconds: number
/**
 * Wall clock, since 1970.
 */
ended_ns?: number
interrupted?: true
/**
 * Present and true where the budget ended before all that promised a gain was tried; `skipped` names what was not.
 */
budget_ended?: true
/**
 * The file that was written; absent when nothing was kept and nothing is unproved.
 */
plan?: string
/**
 * What was kept.
 */
knobs: {
[k: string]: Value
}
/**
 * Faster for sure, and not kept: nothing shows so far that the training stays the same. The plan has them in [unproved]. Absent: none.
 */
unproved?: {
[k: string]: Value
}
/**
 * What the rates hold of the time between epochs: `epochs` = whole epochs by the clock; `starts` = steps, and what the begin of an epoch costs, charged once an epoch; `steps` = the steps alone, as nothing of epochs could be seen.
 */
clock?: {
by: ("epochs" | "starts" | "steps")
/**
 * Of an epoch.
 */
epoch_steps?: number
/**
 * Of the clock, charged for begins of epochs.
 */
start_share?: number
}
/**
 * What trials found of their data in memory: cold = the pages of its files were dropped between trials. Absent where no file of data was seen.
 */
file_cache?: {
state: ("cold" | "warm")
/**
 * That the first trial read.
 */
files: number
/**
 * Of the whole set, estimated.
 */
set_bytes?: number
/**
 * Memory that could be had before the first trial.
 */
room_bytes?: number
}
notes?: string[]
wrote_outside?: string[]
}
