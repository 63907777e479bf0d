// Steps, ranks and events of made-up runs.
import { noise } from "./random.mjs";
import { msPerStep } from "./series.mjs";

const phases = ["other", "data_wait", "h2d", "forward", "backward", "optimizer", "comm", "sync", "checkpoint"];

function phaseMs(step) {
  const slow = step % 2000 < 80 ? 2.5 : 1;
  const base = [3, 46 * slow, 4, 32, 44, 6, 12, 2, 0];
  return base.map((value, i) => value * (1 + 0.08 * noise(i + 3, step)));
}

export function stepsOf(row, from, to, width) {
  const count = row.steps;
  const low = Math.max(0, Math.floor((from ?? 0) / msPerStep));
  const high = Math.min(count - 1, Math.ceil((to ?? row.duration_s * 1000) / msPerStep));
  const each = Math.max(1, Math.ceil((high - low + 1) / width));
  const buckets = [];
  for (let i = low; i <= high; i += each) {
    const last = Math.min(high, i + each - 1);
    const phase_ms = phaseMs(Math.floor((i + last) / 2));
    const mean = phase_ms.reduce((sum, value) => sum + value, 0);
    buckets.push({ first_step: i, last_step: last, from_ms: i * msPerStep, to_ms: (last + 1) * msPerStep, mean_ms: mean, min_ms: mean * 0.9, max_ms: mean * (each > 1 ? 1.6 : 1), phase_ms, device_busy: 0.62 + 0.05 * noise(9, i) });
  }
  const edges_ms = Array.from({ length: 41 }, (_, i) => 100 + i * 5);
  return { schema: "flatout.steps/1", device: 0, pids: [4100], phases, buckets, histogram: { edges_ms, counts: edges_ms.slice(1).map((edge) => Math.round(2500 * Math.exp(-(((edge - 150) / 14) ** 2)) + 180 * Math.exp(-(((edge - 225) / 12) ** 2)))) }, p50_ms: 149.2, p99_ms: 228.4, warmup_steps: 40 };
}

export const stepAxisOf = (row) => ({ schema: "flatout.step_axis/1", step: row.steps ? [0, row.steps] : [], ms: row.steps ? [0, row.steps * msPerStep] : [] });

export function ranksOf(row) {
  const buckets = 160;
  const edges_ms = Array.from({ length: buckets + 1 }, (_, i) => (row.duration_s * 1000 * i) / buckets);
  const ranks = Array.from({ length: 8 }, (_, rank) => ({ rank, pid: 4100 + rank, label: `rank ${rank}` }));
  const step_ms = ranks.map(({ rank }) => edges_ms.slice(1).map((_, i) => 150 + 6 * noise(rank, i) + (rank === 5 && i > 70 && i < 110 ? 60 : 0)));
  return { ranks, edges_ms, step_ms };
}

export function eventsOf(row) {
  const ms = row.duration_s * 1000;
  const at = (share, kind, title, text = null, level = null) => ({ t_ms: ms * share, step: Math.round(row.steps * share), kind, title, text, level });
  return [at(0, "start", "started"), ...[0.166, 0.333, 0.5, 0.666, 0.833].flatMap((share) => [at(share, "checkpoint", "checkpoint", `epoch ${Math.round(share * 6)}`), at(share + 0.01, "eval", "evaluation")]), at(0.43, "alert", "loss above 3", "train/loss = 3.2", "WARN"), at(0.45, "problem", "Xid 63 on GPU 5", "row remapping", "ERROR"), at(1, "end", "finished")];
}
