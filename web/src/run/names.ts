// Names of metrics, phases and parts of a run as a reader takes them.
import type { SeriesInfo } from "../api/types";

const known: Record<string, string> = {
  "device.utilization": "busy (NVML)",
  "device.gpm.sm": "SMs active",
  "device.gpm.tensor": "tensor cores",
  "device.gpm.dram": "DRAM bandwidth",
  "device.gpm.occupancy": "occupancy",
  "device.power": "power of its limit",
  "device.memory.used": "used",
  "device.memory.reserved": "reserved by the driver",
  "device.allocator.reserved": "allocator: reserved",
  "device.allocator.allocated": "allocator: allocated",
  "device.allocator.allocated_peak": "allocator: most allocated so far",
  "device.others.memory_used": "other programs",
  "process.device.memory_used": "process",
  "host.cpu.cores_used": "host",
  "host.iowait": "idle, disk busy",
  "host.cpu.stolen": "stolen",
  "recorder.cpu.cores_used": "flatout itself",
  "host.memory.available": "available",
  "cgroup.memory.used": "cgroup in use",
  "host.memory.page_cache": "page cache",
  "host.shm.used": "/dev/shm",
  "cgroup.cpu.throttled": "CPU limit",
  "host.disk.busy": "disk busy",
};

const tail = (name: string) => {
  const words = name.split(".");
  const end = words.at(-1)!;
  if (["some", "full"].includes(end)) return `${words[0]} ${words.at(-2)} ${end}`;
  return end.replaceAll("_", " ");
};

// `alone`: the panel shows one metric only, so that its name would be said in each line.
export function lineName(info: SeriesInfo, alone: boolean, perDevice: boolean, many: boolean): string {
  const name = known[info.name] ?? tail(info.name);
  const whose = info.label && info.source !== "host" ? info.label : "";
  if (perDevice) return info.pid && info.name.startsWith("process.") ? `${name} ${info.pid}` : name;
  if (alone) return whose || name;
  return whose && many ? `${whose} ${name}` : name;
}

export const phaseColour = (phase: string) => phase.replaceAll("_", "-");
const capitals: Record<string, string> = { cpu: "CPU", gpu: "GPU" };

export const spoken = (word: string) => word.split("_").map((part) => capitals[part] ?? part).join(" ");

// Parts of a run's time, in order, with the colour that the reports give them.
export const accountParts: [key: string, name: string, colour: string][] = [
  ["startup_s", "start-up", "startup"],
  ["warm_up_s", "warm-up", "warm-up"],
  ["steps_s", "steady steps", "steps"],
  ["eval_s", "evaluation", "eval"],
  ["checkpoint_s", "checkpoints", "checkpoint"],
  ["epoch_gap_s", "between epochs", "epoch-gap"],
  ["end_s", "after the last step", "end"],
];

export const idleCauses: [key: string, name: string, colour: string][] = [
  ["data", "waiting for data", "data-wait"],
  ["copy", "copies", "h2d"],
  ["launch", "launching", "line-4"],
  ["sync", "synchronising", "sync"],
  ["peer", "other ranks", "comm"],
  ["startup", "start-up", "startup"],
  ["checkpoint", "checkpoints", "checkpoint"],
  ["throttle", "throttling", "limit"],
  ["unexplained", "unexplained", "other"],
];
