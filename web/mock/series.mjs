// Readings and values of made-up runs, at any resolution.
import { hash, noise } from "./random.mjs";

const shapes = {
  "device.utilization": (t, s) => (t % 400 < 290 ? 0.97 : 0.04) + 0.02 * noise(s, t), "device.gpm.sm": (t, s) => (t % 400 < 290 ? 0.62 : 0.01) + 0.06 * noise(s, t),
  "device.gpm.tensor": (t, s) => (t % 400 < 290 ? 0.31 : 0) + 0.04 * noise(s, t), "device.gpm.dram": (t, s) => (t % 400 < 290 ? 0.44 : 0.02) + 0.05 * noise(s, t),
  "device.power": (t, s) => 430 + 160 * Math.sin(t / 60_000) + 40 * noise(s, t), "device.power.limit": () => 700,
  "device.memory.used": (t, s) => 6.1e10 * Math.min(1, t / 60_000) + 4e8 * noise(s, t), "device.memory.reserved": () => 6e8,
  "device.temperature": (t, s) => 45 + 25 * (1 - Math.exp(-t / 200_000)) + noise(s, t), "device.clock.sm": (t, s) => 1755 - (t > 1.5e6 && t < 2e6 ? 300 : 0) + 15 * noise(s, t),
  "device.throttle.power": (t) => (t > 1.5e6 && t < 2e6 ? 0.35 : 0), "device.pcie.received": (t, s) => (t % 400 < 60 ? 9e9 : 2e8) * (1 + 0.1 * noise(s, t)), "device.pcie.sent": (t, s) => 4e8 * (1 + 0.3 * noise(s, t)),
  "device.nvlink.received": (t, s) => 4e10 * (1 + 0.2 * noise(s, t)), "device.nvlink.sent": (t, s) => 4e10 * (1 + 0.2 * noise(s + 1, t)),
  "host.cpu.cores_used": (t, s) => 11 + 3 * noise(s, t), "process.cpu.cores_used": (t, s) => 0.9 + 0.6 * noise(s, t), "process.memory.rss": (t, s) => 3e9 + (s % 7) * 4e8 + 2e8 * noise(s, t),
  "cgroup.cpu.throttled": (t, s) => Math.max(0, 0.2 * noise(s, t)), "host.pressure.io.some": (t, s) => Math.max(0, 0.1 * noise(s, t)), "host.disk.read": (t, s) => 3e8 * (1 + 0.8 * noise(s, t)), "host.disk.written": (t, s) => (t % 600_000 < 20_000 ? 9e8 : 2e6) * (1 + 0.2 * noise(s, t)),
  "host.memory.available": (t, s) => 4e11 - 1e11 * (t / 3.6e6) + 1e9 * noise(s, t), "host.memory.page_cache": (t) => 1.5e11 * (1 - Math.exp(-t / 400_000)), "host.network.received": (t, s) => 2e8 * (1 + noise(s, t)),
  "train/loss": (t, s) => 2.4 * Math.exp(-t / 900_000) + 0.35 + 0.12 * noise(s, t), "train/accuracy": (t, s) => 0.93 * (1 - Math.exp(-t / 700_000)) + 0.02 * noise(s, t),
  "train/lr": (t) => 0.1 * 0.5 * (1 + Math.cos((Math.PI * Math.min(t, 3.6e6)) / 3.6e6)), "train/grad_norm": (t, s) => 1.5 * Math.exp(0.8 * noise(s, t)), "val/loss": (t, s) => 2.3 * Math.exp(-t / 800_000) + 0.42 + 0.03 * noise(s, t), "val/accuracy": (t, s) => 0.9 * (1 - Math.exp(-t / 800_000)) + 0.01 * noise(s, t),
};
const units = [[/utilization|gpm\.(sm|tensor|dram)|throttle|pressure/, "ratio"], [/power/, "watts"], [/pcie|nvlink|disk|network/, "bytes_per_s"], [/memory/, "bytes"], [/temperature/, "celsius"], [/clock/, "megahertz"], [/cores/, "cores"]];
export const msPerStep = 150;

function info(name, source, label, more, durationMs) {
  const kind = name.includes("/") ? "value" : "metric";
  const every = kind === "value" ? msPerStep * (name.startsWith("val") ? 500 : 10) : 100;
  const key = kind === "value" ? `v:${more.pid}:0:${name}` : `m:${name}:${more.device ?? more.pid ?? -1}`;
  const at = (share) => shapes[name](durationMs * share, hash(key));
  const values = [0.1, 0.3, 0.5, 0.7, 0.9].map(at);
  return { key, name, kind, unit: kind === "value" ? "" : units.find(([rule]) => rule.test(name))?.[1] ?? "", source, label, pid: null, device: null, track: kind === "value" ? 0 : null, ...more,
    count: Math.floor(durationMs / every), first_ms: 0, last_ms: durationMs, first_step: kind === "value" ? 0 : null, last_step: kind === "value" ? Math.floor(durationMs / msPerStep) : null, last: at(1), min: Math.min(...values), max: Math.max(...values), every };
}

export function seriesOf(row, devices) {
  const ms = row.duration_s * 1000;
  const names = Object.keys(shapes);
  const found = [];
  for (const name of names.filter((one) => one.startsWith("device."))) for (let device = 0; device < devices; ++device) found.push(info(name, "device", `GPU ${device}`, { device }, ms));
  for (const name of names.filter((one) => /^(host|cgroup)/.test(one))) found.push(info(name, "host", "host", {}, ms));
  for (const name of names.filter((one) => one.startsWith("process."))) for (let i = 0; i < 5; ++i) found.push(info(name, "process", i ? `worker ${4100 + i}` : "main 4100", { pid: 4100 + i }, ms));
  for (const name of names.filter((one) => one.includes("/"))) found.push(info(name, "process", "rank 0", { pid: 4100 }, ms));
  return found;
}

export function points(one, x, from, to, width) {
  const step = x === "step" ? one.every / msPerStep : one.every;
  const scale = x === "step" ? msPerStep : 1;
  const end = x === "step" ? one.last_step : one.last_ms;
  const low = Math.max(0, Math.ceil((from ?? 0) / step));
  const high = Math.floor(Math.min(to ?? end, end) / step);
  const count = Math.max(0, high - low + 1);
  const raw = count <= width * 2;
  const each = raw ? 1 : Math.ceil(count / width);
  const out = { key: one.key, x: [], min: [], max: [], mean: [], last: [], raw };
  const shape = shapes[one.name];
  const seed = hash(one.key);
  for (let i = low; i <= high; i += each) {
    const values = Array.from({ length: Math.min(each, 12) }, (_, k) => shape((i + Math.floor((k * each) / 12)) * step * scale, seed));
    out.x.push(i * step);
    out.min.push(Math.min(...values));
    out.max.push(Math.max(...values));
    out.mean.push(values.reduce((sum, value) => sum + value, 0) / values.length);
    out.last.push(values.at(-1));
  }
  if (raw) { out.min = []; out.max = []; out.mean = []; }
  return out;
}

export function columns(series) {
  const parts = [Buffer.from("FLCOLS1\0"), u32(series.length)];
  for (const one of series) {
    const key = Buffer.from(one.key);
    parts.push(u32(key.length), key);
    parts.push(Buffer.alloc((8 - (key.length % 8)) % 8), u32(one.x.length), u32(one.raw ? 1 : 2), f64(one.x));
    if (!one.raw) parts.push(f64(one.min), f64(one.max), f64(one.mean));
    parts.push(f64(one.last));
  }
  return Buffer.concat(parts);
}
const u32 = (value) => { const bytes = Buffer.alloc(4); bytes.writeUInt32LE(value); return bytes; };
const f64 = (values) => Buffer.from(Float64Array.from(values, (value) => value ?? NaN).buffer);
