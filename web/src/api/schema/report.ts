// Written by tools/gen_types.mjs from schema/report.schema.json. Long where the schema is: one type a definition.

export type Count = number
/**
 * Evidence that a judgement rests on: `phases` (host time of the steps), `events` (device time, polled), `kernels` (a kernel trace), `nvml`, `gpm`, `amdgpu` (the driver), `host` (kernel counters), `loader` (records of its batches), `facts` (what the program stated of itself).
 */
export type Tier = ("phases" | "events" | "kernels" | "nvml" | "gpm" | "amdgpu" | "host" | "loader" | "facts")
/**
 * Where the steady steps wait for the device, as hooks saw it: most time first, at most ten and the rest. idle_ms is absent, and api.
 */
export type Waits = {
/**
 * file:line of the program's own code that calls; of another tool's trace, at which the function begins. Absent where it is not known.
 */
at?: string
/**
 * Of another tool's trace: that function.
 */
function?: string
/**
 * The library's place below it that calls, where one does.
 */
by?: string
/**
 * Method or op that waits: item, aten::nonzero.
 */
op?: string
/**
 * cudaStreamSynchronize.
 */
api?: string
/**
 * That the program marked around it (NVTX, record_function).
 */
range?: string
/**
 * All callers that have no row of their own.
 */
rest?: true
count: Count
/**
 * In these calls.
 */
time_ms?: number
/**
 * Of the device, because of them: the idle account's sync.
 */
idle_ms?: number
}[]
/**
 * Calls that waited for the device, by caller: most idle time first, at most ten and the rest.
 */
export type Waits1 = {
/**
 * file:line of the program's own code that calls; of another tool's trace, at which the function begins. Absent where it is not known.
 */
at?: string
/**
 * Of another tool's trace: that function.
 */
function?: string
/**
 * The library's place below it that calls, where one does.
 */
by?: string
/**
 * Method or op that waits: item, aten::nonzero.
 */
op?: string
/**
 * cudaStreamSynchronize.
 */
api?: string
/**
 * That the program marked around it (NVTX, record_function).
 */
range?: string
/**
 * All callers that have no row of their own.
 */
rest?: true
count: Count
/**
 * In these calls.
 */
time_ms?: number
/**
 * Of the device, because of them: the idle account's sync.
 */
idle_ms?: number
}[]

/**
 * Written by `flatout report --format json` and `flatout run --json FILE`. A field that could not be measured is absent: never null, never a made-up 0. Keys may be added within this version. Shares and confidence are 0 to 1; intervals are 95 %; figures cover the steady steps.
 */
export interface Report {
schema: "flatout.report/1"
run: Run
failure?: Failure
verdict: Verdict
account?: Account
steps?: Steps
ranks?: Ranks
devices: Device[]
trace?: Trace
host: Host
loader?: Loader
findings: Finding[]
overhead: Overhead
/**
 * Figures that the program named (flatout_log), by name; absent when there was none.
 */
values?: NamedValue[]
/**
 * What a script logged through a tracker, a tracked run each, in the order in which they began; absent when there was none. `flatout show --format json` has all of it.
 */
tracked?: TrackedRun[]
/**
 * Lines for the user: hooks lost, data dropped, a damaged log.
 */
notes?: string[]
/**
 * Rules that were switched off with --rules-off; absent when none was.
 */
rules_off?: string[]
/**
 * The knobs of the plan that the run was started under, and what became of each; absent without a plan.
 */
plan?: {
knob: string
/**
 * What the plan asks for.
 */
value: (number | boolean | string)
/**
 * What it replaced, where that is known.
 */
from?: (number | boolean | string)
applied: boolean
/**
 * Why it was not applied.
 */
reason?: string
}[]
/**
 * Of a run with --tune: settings that were tried while the program ran, and what stayed switched on.
 */
tuned?: {
/**
 * Of the search.
 */
seconds: number
/**
 * By which the steps of the search took longer than they would have without it.
 */
lost_s?: number
tried: Count
/**
 * Why the search ended before all was tried; absent where it did not.
 */
cut_by?: string
/**
 * What promised a gain and was not tried, each with the reason; absent: nothing.
 */
left_out?: string[]
kept: {
knob: string
/**
 * The program's own, where that is known.
 */
from?: (number | boolean | string)
to: (number | boolean | string)
speedup?: number
/**
 * 95 %.
 * 
 * @minItems 2
 * @maxItems 2
 */
interval?: [number, number]
}[]
}
}
export interface Run {
id: string
/**
 * Of --name; absent without one.
 */
name?: string
/**
 * Secrets masked.
 */
command: string[]
state: ("running" | "finished" | "failed" | "killed" | "lost")
/**
 * Only of a program that exited by itself.
 */
exit_code?: number
/**
 * Only of a program that a signal ended.
 */
signal?: string
/**
 * Steps after which --stop-after ended it; its state is `finished` then, whatever signal or exit code it ended with.
 */
stopped_after?: number
/**
 * Processes of the run that outlived it.
 */
survivors: number[]
started?: string
duration_s?: number
host?: string
/**
 * Of a trial: the first run of the tune that it belongs to.
 */
parent?: string
cwd?: string
/**
 * Of `flatout analyze`: the trace that was read; id is `trace` then.
 */
trace_file?: string
/**
 * Why nothing was observed inside the program.
 */
hooks_off?: string
flatout_version?: string
}
/**
 * Only of a program that failed, or that a signal other than SIGINT, SIGTERM, SIGHUP or SIGQUIT ended. What was not seen is absent.
 */
export interface Failure {
/**
 * Type of the exception that nobody caught.
 */
error?: string
message?: string
/**
 * file:line, the innermost one outside libraries.
 */
at?: string
rank?: Count
/**
 * Steps that had ended. Absent where steps could not be seen.
 */
after_steps?: number
}
export interface Verdict {
/**
 * A finding's id, or `unexplained`, `no_steps` or `failed`.
 */
finding?: string
cause?: string
summary?: string
confidence?: number
tier?: Tier
/**
 * Of the run's time: the steady steps, on which it rests.
 */
rests_on_share?: number
ruled_out: string[]
}
/**
 * Where the whole run went, seconds; the parts sum to total_s: until the first step, steps of the warm-up, steady steps, evaluations after the first step, torch.save in any step, between epochs, after the last step. Absent when no step was seen.
 */
export interface Account {
[k: string]: number
}
/**
 * Absent when no step was seen.
 */
export interface Steps {
kind: string
/**
 * kernels: from the repeating kernel sequence, since nobody marked any; ranges: from ranges (NVTX) of the program of a traced run; absent: from hooks, marks or annotations of a trace.
 */
source?: ("kernels" | "ranges")
/**
 * Kernels, copies and memsets of a device that make a step; with source kernels.
 */
activities?: number
count: Count
steady_count: Count
median_ms?: number
p95_ms?: number
mean_ms?: number
/**
 * Samples a step, median: the last step of an epoch may have fewer. samples_per_s goes by the mean.
 */
batch_size?: number
samples_per_s?: number
/**
 * Of the device on which the steps run; of one that others use as well, what they leave.
 */
device_busy?: number
phases?: Shares
phases_device?: Shares
/**
 * Phase to the reason why it cannot be told apart; its time stays in the enclosing phase.
 */
phases_unavailable?: {
[k: string]: string
}
waits?: Waits
intervals?: {
startup_s?: number
eval_s?: number
epoch_gap_s?: number
[k: string]: number | undefined
}
}
/**
 * Phase name to its share. The phases of `phases` sum to 1 within 0.001.
 */
export interface Shares {
[k: string]: number
}
/**
 * Traces of several ranks of one job beside each other, aligned on their collectives; absent of a run, and of one trace. All else of the document is of the trace named first.
 */
export interface Ranks {
/**
 * Where the numbers of the ranks come from.
 */
numbered_by: ("trace" | "file_name" | "order")
/**
 * That the traces name.
 */
world_size?: number
/**
 * That were found on all ranks of their group.
 */
collectives: number
/**
 * `number`: the traces number them; `order`: their order, at the shift at which their ends agree. Absent where none was matched.
 */
matched_by?: ("number" | "order")
/**
 * By rank. Shares are of the window of the rank's device.
 */
list: {
rank: Count
file?: string
/**
 * Mean of its steady steps.
 */
step_ms?: number
busy?: number
comm_exposed?: number
idle?: number
window_ms?: number
/**
 * By how much its clock is ahead of the first rank's, as the ends of collectives show.
 */
clock_ahead_ms?: number
/**
 * Collectives at which it came last.
 */
last: number
/**
 * That the others waited for it in these, mean over them.
 */
held_ms?: number
/**
 * That it waited in its kernels for others.
 */
waited_ms?: number
}[]
/**
 * The rank for which the others wait most while they compute nothing; absent where nobody is waited for.
 */
straggler?: {
rank: Count
cause?: ("late_data" | "late_copies" | "late_checkpoint" | "late_host" | "late_compute")
last: Count
held_ms?: number
/**
 * Of held_ms: while the others' devices computed nothing.
 */
exposed_ms?: number
/**
 * exposed_ms over the mean window.
 */
share?: number
phases_ms: SharesMs
}
}
/**
 * Of held_ms, by the phases in which it was longer than the others since the collective before.
 */
export interface SharesMs {
[k: string]: number
}
export interface Device {
index: Count
name?: string
kind?: ("cuda" | "cpu")
utilization?: {
source?: string
mean?: number
p10?: number
p50?: number
p90?: number
/**
 * Absent where it cannot be resolved.
 */
pattern?: string
period_ms?: number
duty?: number
}
uuid?: string
/**
 * What the program calls it; absent where it is hidden from it.
 */
visible_index?: number
/**
 * By this run; absent where it cannot be told.
 */
used?: boolean
/**
 * `off`, `parent of 2`, `1g.10gb of device 0`.
 */
mig?: string
/**
 * Peak, of all processes.
 */
memory_used_bytes?: number
memory_total_bytes?: Count
/**
 * Mean.
 */
power_w?: number
power_limit_w?: number
/**
 * Highest.
 */
temperature_c?: number
/**
 * Clocks may fall from there on.
 */
temperature_limit_c?: number
/**
 * Mean.
 */
sm_clock_mhz?: number
sm_clock_max_mhz?: number
/**
 * Shares of time in which something held the clocks down.
 */
throttled?: {
power?: number
thermal?: number
other?: number
}
/**
 * The best that was seen: links fall back while idle.
 */
pcie?: {
generation?: Count
width?: Count
generation_max?: Count
width_max?: Count
}
/**
 * GPM, means: SMs and tensor cores in use, memory bandwidth, warps in flight.
 */
activity?: {
sm?: number
tensor?: number
dram?: number
occupancy?: number
}
/**
 * Processes on the device that are not of this run.
 */
others?: {
processes?: Count
memory_used_bytes?: Count
utilization?: number
}
/**
 * Field or metric to the reason why the driver does not give it.
 */
unavailable?: {
[k: string]: string
}
/**
 * Of a kernel trace, as all below: shares of the device's window, from its first to its last activity, of a run what was traced of that. The union over all streams; busy + idle = 1.
 */
busy?: number
/**
 * Kernels that are no collectives, and memsets.
 */
compute?: number
/**
 * What collectives add to it.
 */
comm_exposed?: number
/**
 * What copies add to both.
 */
copy_exposed?: number
idle?: number
window_ms?: number
/**
 * Why the device idled; sums to idle. Absent where the trace says nothing of the host.
 */
idle_account?: {
data?: number
copy?: number
launch?: number
sync?: number
peer?: number
startup?: number
checkpoint?: number
throttle?: number
unexplained?: number
}
kernels?: {
count: Count
/**
 * Sum over all streams.
 */
time_ms?: number
/**
 * Of their number: under 10 us.
 */
short_share?: number
/**
 * Of their time, by their names.
 */
tensor_core_share?: number
/**
 * Of their number: nodes of CUDA graphs; absent: none, or the trace does not say.
 */
graph_share?: number
/**
 * By time, at most 10 names.
 */
top: {
name?: string
class: string
count: Count
time_ms?: number
}[]
/**
 * By length, in buckets of powers of two: from_us or longer, less than to_us. Without holes, from the shortest kernel to the longest; counts sum to count.
 */
lengths?: {
from_us?: number
to_us?: number
count: Count
time_ms?: number
}[]
}
copies?: {
h2d_bytes?: Count
h2d_ms?: number
/**
 * Of the bytes copied to the device.
 */
pageable_share?: number
d2h_bytes?: Count
d2h_ms?: number
}
comm?: {
/**
 * In which a collective ran.
 */
time_ms?: number
exposed_ms?: number
/**
 * Share of time_ms in which something else computed.
 */
overlap?: number
}
/**
 * How far the host was ahead: from the return of a call to the begin of what it launched. Absent where no launch is known.
 */
launch?: {
count: Count
delay_us_median?: number
delay_us_p95?: number
/**
 * Launches that found nothing left to do on their stream.
 */
empty_queue_share?: number
}
waits?: Waits1
/**
 * Activities that were launched and had not yet begun, all streams together, weighted by time. Absent where no launch is known.
 */
queue?: {
depth_mean?: number
depth_median?: number
depth_p95?: number
depth_max?: number
/**
 * Of the time: nothing waited.
 */
empty_share?: number
}
/**
 * What kernels achieve of what the device can do, from the shapes of the ops that launched them: lower bounds. Absent where no shape is known.
 */
roofline?: {
/**
 * Of the time of all kernels but collectives: the shapes are known.
 */
known_share?: number
/**
 * FLOPs of ops with known shapes over the window, 10^12 a second.
 */
tflops?: number
/**
 * The same over what the device could compute in the window, each type of numbers against its own peak. Absent where the peaks are not known.
 */
flops_utilization?: number
/**
 * Of the device's data sheet, without sparsity; absent where the device is not known.
 */
peaks?: {
source?: string
float32_tflops?: number
tf32_tflops?: number
float16_tflops?: number
bfloat16_tflops?: number
float8_tflops?: number
memory_gb_per_s?: number
}
/**
 * By class of kernels, the most time first; those of which some shapes are known.
 */
classes: {
class: string
/**
 * Of all its kernels.
 */
time_ms?: number
/**
 * Of time_ms: the shapes are known. All else is of that part.
 */
known_share?: number
tflops?: number
/**
 * Least bytes of its ops, 10^9 a second.
 */
gb_per_s?: number
flops_per_byte?: number
/**
 * Of the device's peak for the types used.
 */
compute_share?: number
/**
 * Of the memory's bandwidth; above 1 where a cache holds what is read.
 */
bandwidth_share?: number
/**
 * Least time by the roof that binds, over the time taken.
 */
roof_share?: number
/**
 * The roof that binds most of its least time.
 */
bound?: ("compute" | "memory")
/**
 * Of the known time: products with a dimension that is no multiple of 8.
 */
odd_dims_share?: number
}[]
}
/**
 * What the framework's allocator had of the device's memory, as far as it is known: of a trace at each change, of a run at ends of steps. Absent where nobody said it.
 */
allocator?: {
peak_allocated_bytes: Count
/**
 * Step of the trace or run, the first is 1, in which the peak was reached first.
 */
peak_at_step?: number
peak_reserved_bytes?: Count
/**
 * Reserved and not allocated when the peak was reached.
 */
free_at_peak_bytes?: number
/**
 * The first 1000.
 */
steps?: {
step: Count
peak_allocated_bytes: Count
}[]
/**
 * Of a run: PyTorch's own figures, read at ends of steps, at most five times a second. Peaks are those that its allocator keeps, since the program began or last reset them.
 */
sampled?: true
/**
 * At the end of this step the peak had not been reached. Absent where peak_by_step's was the first sample.
 */
peak_after_step?: number
/**
 * At the end of this step the peak had been reached; in which step is not known.
 */
peak_by_step?: number
/**
 * How often the allocator found no room in the steady steps, gave back to the driver what it kept, and asked again.
 */
retries_in_steps?: number
/**
 * Allocations that failed in the whole run for want of device memory.
 */
ooms?: number
/**
 * Processes of the run whose allocators these figures are sums of; each has one of its own. A sum of peaks is at least the peak of the sum.
 */
processes?: number
}
/**
 * How much of its time the device's process would save at most if some of its work took none, by replaying its steps (the trace, where it has none). Absent where no launch is known.
 */
what_if_free?: {
of_ms?: number
/**
 * Share of of_ms, by work: `data`, `launch`, `sync`, `copy`, `comm`, and the classes of kernels. Each for itself; they do not add up.
 */
saves: {
[k: string]: number
}
}
/**
 * busy, compute, comm_exposed, copy_exposed, idle, window_ms, idle_account, kernels, copies, comm, launch, waits, queue and what_if_free once more: of what was traced of the steady steps, where that is two steps or more. Of runs alone.
 */
in_steps?: {
busy?: number
idle?: number
window_ms?: number
idle_account?: {

}
kernels?: {

}
copies?: {

}
comm?: {

}
}
}
/**
 * Of a run that was asked for a kernel trace (--trace): what became of it.
 */
export interface Trace {
state?: ("on" | "yielded" | "failed" | "absent")
/**
 * Absent where it is on and all of it came.
 */
why?: string
/**
 * Its version.
 */
cupti?: string
/**
 * Times in which the process was traced that was traced most; those that touch are one. Absent without any.
 */
windows?: number
/**
 * Their sum.
 */
traced_s?: number
/**
 * Of the run's time.
 */
share?: number
/**
 * Records of all processes, for which CUPTI or the ring had no room.
 */
dropped: number
}
export interface Host {
cpus?: number
/**
 * Cores in use by the run's processes.
 */
cpu_mean?: number
/**
 * Of the cores that the run may use, those in use by other programs in the steady steps.
 */
others_cpu_mean?: number
memory_peak_bytes?: Count
memory_limit_bytes?: Count
/**
 * Of the run, that were ever seen.
 */
processes?: number
/**
 * torch.get_num_threads().
 */
intraop_threads?: number
}
export interface Loader {
workers: Count
prefetch_factor?: number
pin_memory?: boolean
persistent_workers?: boolean
/**
 * An IterableDataset, which every worker reads as a whole.
 */
iterable?: boolean
/**
 * Who makes its batches, where that is not torch.
 */
engine?: "native"
/**
 * What that engine keeps of its samples in memory. Absent where it keeps nothing.
 */
cache?: ("encoded" | "decoded")
/**
 * That training began to draw. Absent where none was told.
 */
epochs?: number
/**
 * Batches that the native engine could not make and Python fetched. Absent where torch makes them all.
 */
fetched_batches?: number
/**
 * Why the first of them.
 */
fetched_reason?: string
/**
 * Of the native engine.
 */
threads?: number
/**
 * Batches that it makes before they are asked for.
 */
ahead?: number
/**
 * Seconds of all its threads by stage, in the steady steps as near as they were told: computing (`busy_s`), and waiting for bytes or a core (`blocked_s`). Absent where it told nothing.
 */
engine_stages?: {
[k: string]: {
busy_s?: number
blocked_s?: number
}
}
/**
 * Seconds of its threads without a sample to make: all batches ahead were made or begun and nobody waited (`full`), the training waited meanwhile (`starved`), no batch was asked for (`unasked`).
 */
engine_idle_s?: {
full?: number
starved?: number
unasked?: number
}
/**
 * How long the training waited for it.
 */
engine_waited_for_s?: number
/**
 * Why the native engine could not make them; empty = it could. Of pictures in folders, tar shards and Hugging Face's alone.
 */
native_refusal?: string
/**
 * What flatout's loading engine made of some of this loader's files once the program had ended, or why that was not measured (`skipped`). `cpu_ms`: CPU time of a sample, all threads. `size`: height and width to which pictures were cropped at random, where what the dataset does to them is not known.
 */
engine_measured?: {
skipped?: string
samples_per_s?: number
cpu_ms?: number
threads?: number
seconds?: number
files?: number
/**
 * @minItems 2
 * @maxItems 2
 */
size?: [number, number]
}
/**
 * file:line
 */
built_at?: string
sample_ms?: number
sample_cpu_share?: number
stages?: {
name: string
share?: number
}[]
max_samples_per_s?: number
}
export interface Finding {
id: string
cause?: string
severity: ("info" | "warn" | "critical")
/**
 * Of steady step time; of eval_share of the run's time between start-up and end, of startup of the whole run's.
 */
share?: number
confidence?: number
tier?: Tier
summary?: string
/**
 * file:line that it speaks of.
 */
at?: string
/**
 * Present and true where nothing inside the program could change it: never the verdict while another warning is there.
 */
outside?: true
evidence: {
metric?: string
value?: number
unit?: string
threshold?: number
start_s?: number
end_s?: number
}[]
advice: Advice[]
}
export interface Advice {
knob?: string
/**
 * A JSON value; swapped with `to` it is the inverse.
 */
from?: {
[k: string]: unknown
}
/**
 * A JSON value.
 */
to?: {
[k: string]: unknown
}
predicted_speedup?: number
/**
 * 95 %: [lo, hi].
 * 
 * @minItems 2
 */
interval?: never[]
risk: ("same_maths" | "rounding" | "changes_training")
/**
 * Present and true where the random draws differ.
 */
other_draws?: true
how?: string
/**
 * file:line
 */
at?: string
}
export interface Overhead {
events: Count
dropped: Count
/**
 * Of one core.
 */
recorder_cpu_share?: number
}
export interface NamedValue {
name: string
count: number
/**
 * Absent where it was infinite or no number.
 */
last?: number
/**
 * As the program counts.
 */
last_step?: number
}
export interface TrackedRun {
/**
 * `flatout`, `wandb`, `neptune`, `tensorboard`, `mlflow`.
 */
source: string
id: string
project: string
name: string
/**
 * Names of series.
 */
metrics: number
/**
 * Of all series.
 */
points: number
/**
 * Rows with texts or media.
 */
texts: number
files: Count
alerts: Count
/**
 * Logged, but not kept: the ring or the disk was full.
 */
lost: number
/**
 * The first eight series by name.
 */
values?: NamedValue[]
/**
 * Where it begins with a history: that of the run `from`, up to `from_step` (without it: all).
 */
branch?: {
/**
 * A rewind goes on in its own history; what came after from_step no longer counts.
 */
kind: ("fork" | "rewind")
from: string
from_step?: number
/**
 * Copied of it; absent: not yet.
 */
values?: number
rows?: Count
recordings?: string[]
/**
 * Why some or all of it is missing.
 */
problem?: string
}
}
