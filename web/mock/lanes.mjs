// Idle causes, the loader and lanes of made-up runs.
import { noise } from "./random.mjs";
import { msPerStep } from "./series.mjs";

const causes = ["data", "copy", "launch", "sync", "peer", "startup", "checkpoint", "throttle", "unexplained"];

// Traced in windows: of every other sixth of the run nothing is known.
export function idleOf(row, devices, from, to, width) {
  const buckets = [];
  const low = Math.max(0, Math.floor((from ?? 0) / msPerStep));
  const high = Math.min(row.steps - 1, Math.ceil((to ?? row.duration_s * 1000) / msPerStep));
  const each = Math.max(1, Math.ceil((high - low + 1) / width));
  for (let i = low; devices > 0 && i <= high; i += each) {
    const last = Math.min(high, i + each - 1);
    const known_ms = Math.floor((i / row.steps) * 6) % 2 === 0 ? (last - i + 1) * msPerStep : 0;
    const idle_ms = [0.25, 0, 0.03, 0.02, 0.02, 0, 0, 0, 0.01].map((share, k) => known_ms * share * (1 + 0.2 * noise(k + 31, i)));
    buckets.push({ first_step: i, last_step: last, from_ms: i * msPerStep, to_ms: (last + 1) * msPerStep, known_ms, idle_ms: known_ms > 0 ? idle_ms : null });
  }
  return { schema: "flatout.idle/1", devices: Array.from({ length: devices }, (_, device) => ({ pid: 4100 + device, device, rank: device, label: `GPU ${device}` })), causes, buckets };
}

export function loaderOf(row, from, to, width) {
  const [low, high] = [from ?? 0, Math.min(to ?? Infinity, row.duration_s * 1000)];
  const count = Math.max(1, Math.min(width, Math.floor((high - low) / msPerStep / 4)));
  const workers = [0, 1, 2].map((i) => ({ pid: 4200 + i, label: `worker ${i}` }));
  const buckets = Array.from({ length: count }, (_, i) => ({
    from_ms: low + ((high - low) * i) / count, to_ms: low + ((high - low) * (i + 1)) / count,
    ready_mean: 1 + noise(41, i), ready_min: 0, ready_max: 3, draws: 4, wait_mean_ms: 46 + 4 * noise(42, i), wait_max_ms: 80 + 9 * noise(43, i),
    fetch_ms: workers.map((_one, worker) => (worker === 2 && i === 1 ? null : 140 + 10 * noise(50 + worker, i))),
  }));
  return { schema: "flatout.loader/1", workers, in_step_thread: false, buckets };
}

// Two ranks of phases, a stream and why its device idles: six steps, or what is asked for.
export function lanesOf(row, from, to) {
  const middle = Math.floor(row.steps / 2);
  const low = from ?? middle * msPerStep;
  const high = Math.min(row.duration_s * 1000, to ?? low + 6 * msPerStep);
  const names = [["data_wait", "data_wait"], ["forward", "forward"], ["backward", "backward"], ["optimizer", "optimizer"], ["sm90_gemm_bf16<128, 256>", "gemm"], ["ncclDevKernel_AllReduce", "collective"], ["data", "data"], ["launch", "launch"]].map(([text, kind]) => ({ text, kind }));
  const first = Math.ceil(low / msPerStep);
  const steps = Array.from({ length: Math.max(0, Math.min(200, Math.floor(high / msPerStep) - first)) }, (_, i) => ({ step: first + i, at_ms: (first + i) * msPerStep }));
  const cut = (parts) => steps.flatMap(({ at_ms }) => parts.map(([begin, end, name, count = 1]) => [at_ms + begin * msPerStep, at_ms + end * msPerStep, (end - begin) * msPerStep / (count > 1 ? 2 : 1), name, count])).filter(([begin, end]) => begin >= low && end <= high);
  const lanes = [0, 1].map((rank) => ({ group: `rank ${rank}`, label: "phases", kind: "phases", spans: cut([[0, 0.3, 0], [0.3, 0.52, 1], [0.52, 0.92, 2], [0.92, 0.99, 3]]) }));
  lanes.push({ group: "GPU 0", label: "stream 7", kind: "stream", spans: cut([[0.35, 0.8, 4], [0.82, 0.9, 5], [0.9, 0.92, 4, 12]]) });
  lanes.push({ group: "GPU 0", label: "idle", kind: "idle", spans: cut([[0, 0.35, 6], [0.8, 0.82, 7]]) });
  return { schema: "flatout.lanes/1", from_ms: low, to_ms: high, names, lanes: lanes.filter((lane) => lane.spans.length > 0), left_out: 0, steps };
}
