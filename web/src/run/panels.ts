// Which readings of the machine stand together, in what order. A panel whose readings a run does
// not have does not exist.
import type { SeriesInfo } from "../api/types";

export interface PanelSpec {
  id: string;
  title: string;
  section: "device" | "host" | "loader";
  names: string[]; // metrics, the most important first
  perDevice?: boolean; // a panel for each device, not a line
  shape?: "lines" | "stack";
  yTop?: number;
  thin?: string[]; // limits
  unit?: string;
}

const io = (begin: string) => [`${begin}.received`, `${begin}.sent`];

export const panelSpecs: PanelSpec[] = [
  {
    id: "ladder", title: "Utilisation", section: "device", perDevice: true, yTop: 1, unit: "ratio",
    names: ["device.utilization", "device.gpm.sm", "device.gpm.tensor", "device.gpm.dram", "device.gpm.occupancy", "device.power"],
  },
  {
    id: "memory", title: "Device memory", section: "device", perDevice: true,
    names: ["device.memory.used", "device.memory.reserved", "device.allocator.reserved", "device.allocator.allocated", "device.allocator.allocated_peak", "process.device.memory_used", "device.others.memory_used"],
    thin: ["device.allocator.allocated_peak"],
  },
  { id: "others", title: "Use by other programs", section: "device", yTop: 1, names: ["device.others.utilization"] },
  { id: "pcie", title: "PCIe", section: "device", names: [...io("device.pcie"), ...io("device.gpm.pcie")] },
  { id: "nvlink", title: "NVLink", section: "device", names: [...io("device.nvlink"), ...io("device.gpm.nvlink")] },
  { id: "power", title: "Power", section: "device", names: ["device.power", "device.power.limit"], thin: ["device.power.limit"] },
  { id: "clocks", title: "Clocks", section: "device", names: ["device.clock.sm", "device.clock.memory"] },
  { id: "temperature", title: "Temperature", section: "device", names: ["device.temperature"] },
  { id: "throttled", title: "Clocks held down", section: "device", yTop: 1, names: ["device.throttle.power", "device.throttle.thermal", "device.throttle.other"] },
  { id: "errors", title: "Errors of the device", section: "device", names: ["device.ecc.corrected", "device.ecc.uncorrected", "device.xid"] },
  { id: "video", title: "Video units", section: "device", yTop: 1, names: ["device.decoder.utilization", "device.encoder.utilization"] },
  { id: "cpu", title: "CPU in use", section: "host", names: ["host.cpu.cores_used", "host.iowait", "host.cpu.stolen", "recorder.cpu.cores_used"] },
  { id: "tree", title: "CPU by process", section: "host", shape: "stack", names: ["process.cpu.cores_used"] },
  {
    id: "pressure", title: "Throttling and pressure", section: "host", unit: "ratio",
    names: ["cgroup.cpu.throttled", "cgroup.pressure.cpu.some", "cgroup.pressure.memory.some", "cgroup.pressure.io.some", "host.pressure.cpu.some", "host.pressure.memory.some", "host.pressure.memory.full", "host.pressure.io.some", "host.pressure.io.full"],
  },
  { id: "delay", title: "Waiting for a core", section: "host", names: ["process.cpu.run_delay"] },
  { id: "rss", title: "Memory by process", section: "host", shape: "stack", names: ["process.memory.pss", "process.memory.rss"] },
  { id: "ram", title: "Memory of the host", section: "host", names: ["host.memory.available", "cgroup.memory.used", "host.memory.page_cache", "host.shm.used"] },
  { id: "disk", title: "Disk", section: "host", names: ["host.disk.read", "host.disk.written"] },
  { id: "reads", title: "Reading by process", section: "host", shape: "stack", names: ["process.io.disk_read"] },
  { id: "diskwait", title: "Waiting for the disk", section: "host", yTop: 1, names: ["host.disk.busy", "process.io.disk_wait"] },
  { id: "swap", title: "Swap and faults", section: "host", names: ["host.swap.in", "host.swap.out"] },
  { id: "network", title: "Network", section: "host", names: io("host.network") },
];

export interface PanelChoice {
  id: string; // unique on the page
  title: string;
  spec: PanelSpec;
  series: SeriesInfo[];
}

// What stays at zero all along says nothing in a chart of its own.
const quiet = new Set(["errors", "swap", "video", "others", "nvlink", "throttled", "pressure", "delay", "diskwait", "reads"]);
const silent = (one: SeriesInfo) => one.max === 0 && (one.min ?? 0) === 0;

// Of two readings of one thing the first named: PSS says more than RSS, which counts shared pages again.
function chosen(spec: PanelSpec, all: SeriesInfo[]): SeriesInfo[] {
  const found = spec.names.flatMap((name) => all.filter((one) => one.kind === "metric" && one.name === name && one.count > 0));
  if (spec.shape !== "stack" || spec.names.length < 2) return found;
  const first = spec.names.find((name) => found.some((one) => one.name === name));
  return found.filter((one) => one.name === first);
}

export function choosePanels(all: SeriesInfo[]): PanelChoice[] {
  return panelSpecs.flatMap((spec) => {
    let series = chosen(spec, all);
    if (quiet.has(spec.id)) series = series.filter((one) => !silent(one));
    if (series.length === 0) return [];
    if (!spec.perDevice) return [{ id: spec.id, title: spec.title, spec, series }];
    const devices = [...new Set(series.map((one) => one.device ?? 0))].sort((a, b) => a - b);
    return devices.map((device) => ({
      id: `${spec.id}${device}`,
      title: devices.length > 1 || device > 0 ? `${spec.title}, GPU ${device}` : spec.title,
      spec,
      series: series.filter((one) => (one.device ?? 0) === device),
    }));
  });
}
