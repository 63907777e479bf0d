// Written by tools/gen_types.mjs from schema/compare.schema.json. Long where the schema is: one type a definition.

export type Contrast = ({
run: Run
speedup?: {
/**
 * Above 1: the run is faster than the baseline.
 */
ratio: number
/**
 * @minItems 2
 * @maxItems 2
 */
interval: [number, number]
/**
 * The ratio with the time between epochs, which is in no step. Absent where the steady steps of neither run hold two gaps.
 */
by_clock?: number
/**
 * The interval does not hold 1, and what other programs took of the cores cannot alone be why.
 */
shown: boolean
statistic: string
/**
 * Steps a block of the bootstrap.
 */
block_steps: number
}
/**
 * Why there is none; present where `speedup` is absent.
 */
no_speedup?: string
figures: {
/**
 * Its path in flatout.report/1.
 */
name: string
unit: string
before?: number
after?: number
}[]
phases: {
name: string
before_ms?: number
after_ms?: number
before_share?: number
after_share?: number
}[]
/**
 * Those above severity info in one of the two.
 */
findings: {
id: string
change: ("came" | "went" | "stayed")
before_cause?: string
after_cause?: string
before_share?: number
after_share?: number
}[]
trace?: Trace
config: Changes
environment: Changes
/**
 * What makes the comparison unfair or weak. Ids may be added.
 */
cautions: {
/**
 * busy_machine, other_machine, other_cpus, other_load, other_epoch_gaps, other_devices, other_device_kind, other_batch_size, other_model, other_world_size, still_running, lost, few_steps, dropped_events; more may be added.
 */
id: string
text: string
}[]
} & Contrast1 & {
run: Run
speedup?: {
/**
 * Above 1: the run is faster than the baseline.
 */
ratio: number
/**
 * @minItems 2
 * @maxItems 2
 */
interval: [number, number]
/**
 * The ratio with the time between epochs, which is in no step. Absent where the steady steps of neither run hold two gaps.
 */
by_clock?: number
/**
 * The interval does not hold 1, and what other programs took of the cores cannot alone be why.
 */
shown: boolean
statistic: string
/**
 * Steps a block of the bootstrap.
 */
block_steps: number
}
/**
 * Why there is none; present where `speedup` is absent.
 */
no_speedup?: string
figures: {
/**
 * Its path in flatout.report/1.
 */
name: string
unit: string
before?: number
after?: number
}[]
phases: {
name: string
before_ms?: number
after_ms?: number
before_share?: number
after_share?: number
}[]
/**
 * Those above severity info in one of the two.
 */
findings: {
id: string
change: ("came" | "went" | "stayed")
before_cause?: string
after_cause?: string
before_share?: number
after_share?: number
}[]
trace?: Trace
config: Changes
environment: Changes
/**
 * What makes the comparison unfair or weak. Ids may be added.
 */
cautions: {
/**
 * busy_machine, other_machine, other_cpus, other_load, other_epoch_gaps, other_devices, other_device_kind, other_batch_size, other_model, other_world_size, still_running, lost, few_steps, dropped_events; more may be added.
 */
id: string
text: string
}[]
} & Contrast1)
/**
 * By idle cause or class of kernels, the largest difference first.
 */
export type Times = {
name: string
before_ms?: number
after_ms?: number
}[]
/**
 * What was stated and differs, by key.
 */
export type Changes = {
key: string
before?: {
[k: string]: unknown
}
after?: {
[k: string]: unknown
}
}[]
export type Contrast1 = ({
[k: string]: unknown
} | {
[k: string]: unknown
})

/**
 * Written by `flatout compare --format json`. `before` is the baseline, `after` the run held against it. What one of them does not have is absent on its side: never null, never a made-up 0. Keys may be added within this version. Shares are 0 to 1; the interval is 95 %.
 */
export interface Compare {
schema: "flatout.compare/1"
/**
 * How the interval was made, and what it does not cover.
 */
interval_method: string
baseline: Run
/**
 * @minItems 1
 */
runs: [Contrast, ...(Contrast)[]]
/**
 * Rules that were switched off; absent when none was.
 */
rules_off?: string[]
}
export interface Run {
id: string
name?: string
host?: string
state: ("running" | "finished" | "failed" | "killed" | "lost")
started?: string
duration_s?: number
steps: number
steady_steps: number
verdict: {
finding?: string
cause?: string
summary?: string
confidence?: number
}
notes?: string[]
}
/**
 * Of kernel traces; absent where one of the two has none. Times are shares of the device's window times the mean step, or by the second of the window.
 */
export interface Trace {
/**
 * `second` where one of the two has no steps.
 */
per: ("step" | "second")
idle: Times
classes: Times
/**
 * Those that differ most, at most 20.
 */
kernels: {
name: string
class: string
change: ("came" | "went" | "stayed")
before_ms?: number
after_ms?: number
before_count?: number
after_count?: number
}[]
}
