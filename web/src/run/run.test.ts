import { describe, expect, it } from "vitest";
import type { Report, SeriesInfo, StepsAnswer, Tune } from "../api/types";
import { parseHash } from "../app/hash";
import { route } from "../app/route";
import { accountOf, headlineOf, idleOf } from "./account";
import { extentWith, type RunContext } from "./context";
import { cellAt, heatColour, heatColours, heatScale } from "./heat";
import { histogramFigure, mediaOf, typeOf } from "./media";
import { readTags } from "./Labels";
import { scaleOf, times } from "./Ledger";
import { lineName } from "./names";
import { choosePanels } from "./panels";
import { busy, histogram, phases, stepTime } from "./StepPanels";
import { missing } from "./Unavailable";
import { matches, valueGroups } from "./ValuePanels";
import { speedup } from "./Verdict";

const series = (name: string, more: Partial<SeriesInfo> = {}): SeriesInfo => ({ key: name, name, kind: "metric", source: "host", count: 5, min: 0, max: 1, ...more });
const report = (more: object) => ({ schema: "flatout.report/1", run: {}, verdict: { ruled_out: [] }, devices: [], host: {}, findings: [], overhead: {}, ...more }) as unknown as Report;

describe("panels", () => {
  it("exist only where their readings do", () => {
    expect(choosePanels([])).toEqual([]);
    expect(choosePanels([series("host.disk.read"), series("device.power", { device: 0, source: "device" })]).map((panel) => panel.id)).toEqual(["ladder0", "power", "disk"]);
  });
  it("are one a device where lines would cover each other", () => {
    const both = [0, 1].map((device) => series("device.utilization", { device, source: "device", label: `GPU ${device}` }));
    expect(choosePanels(both).map((panel) => panel.title)).toEqual(["Utilisation, GPU 0", "Utilisation, GPU 1"]);
  });
  it("leave out errors and pressure that never were", () => {
    expect(choosePanels([series("device.xid", { device: 0, max: 0 }), series("host.swap.in", { max: 0 })])).toEqual([]);
  });
  it("do not stack RSS upon PSS", () => {
    const found = choosePanels([series("process.memory.rss"), series("process.memory.pss")]).find((panel) => panel.id === "rss")!;
    expect(found.series.map((one) => one.name)).toEqual(["process.memory.pss"]);
  });
  it("name their lines by what differs", () => {
    const info = series("device.pcie.received", { source: "device", label: "GPU 1" });
    expect(lineName(info, false, false, true)).toBe("GPU 1 received");
    expect(lineName(info, true, false, true)).toBe("GPU 1");
    expect(lineName(series("host.pressure.io.full", { label: "host" }), false, false, false)).toBe("host io full");
  });
});

describe("the verdict", () => {
  it("says what is idle and lost, where it is known", () => {
    expect(headlineOf(report({ steps: { device_busy: 0.25 }, account: { total_s: 10, steps_s: 8 } }))).toEqual({ idle: 0.75, lost_s: 6 });
    expect(headlineOf(report({}))).toEqual({ idle: null, lost_s: null });
  });
  it("adds up the run's time in its own order", () => {
    expect(accountOf(report({ account: { total_s: 10, steps_s: 8, startup_s: 2 } })).map((part) => [part.name, part.text])).toEqual([["start-up", "2 s, 20 %"], ["steady steps", "8 s, 80 %"]]);
  });
  it("prefers what was traced of the steady steps", () => {
    const device = { index: 0, idle: 0.9, idle_account: { data: 0.9 }, in_steps: { idle: 0.4, idle_account: { data: 0.3, sync: 0.1 } } };
    const [first] = idleOf(report({ devices: [device] }));
    expect([first!.idle, first!.parts.map((part) => part.value)]).toEqual([0.4, [0.3, 0.1]]);
  });
  it("gives gains with their interval", () => {
    expect(speedup({ predicted_speedup: 1.42, interval: [1.3, 1.5] })).toBe("1.42× (1.30 to 1.50)");
    expect(speedup({})).toBe("");
  });
  it("says why something is missing", () => {
    expect(missing(report({ devices: [{ index: 1, unavailable: { "gpm.sm": "MIG" } }], steps: { phases_unavailable: { comm: "not used" } } }))).toEqual([["comm", "not used"], ["GPU 1 gpm.sm", "MIG"]]);
  });
});

describe("steps", () => {
  const bucket = { first_step: 0, last_step: 3, from_ms: 0, to_ms: 40, mean_ms: 10, min_ms: 8, max_ms: 14, phase_ms: [1, 0, 9] };
  const answer: StepsAnswer = { phases: ["other", "h2d", "forward"], buckets: [bucket], histogram: { edges_ms: [0, 10, 20], counts: [3, 1] } };
  it("are lines with extremes, and phases without those that never were", () => {
    expect(stepTime(answer, "step")).toMatchObject({ xs: [1.5], lines: [{ values: [10], low: [8], high: [14] }] });
    expect(phases(answer, "time").lines.map((line) => line.label)).toEqual(["other", "forward"]);
  });
  it("have no device and no histogram where the server has none", () => {
    expect(busy(answer, "time")).toBeNull();
    expect(histogram({ ...answer, histogram: null })).toBeNull();
    expect(histogram(answer)!.xs).toEqual([5, 15]);
  });
});

describe("the axis of a panel", () => {
  const run = { axis: { extent: [0, 250], toStep: () => null, toTime: () => null }, detail: { series: [] }, endMs: 1000 } as unknown as RunContext;
  it("is as wide as what a script counts by itself", () => {
    route.value = parseHash("#/run/a?x=step");
    expect(extentWith(run, [{ first_step: 50, last_step: 1250 }, {}])).toEqual([0, 1250]);
    expect(extentWith(run, [{ first_step: 50, last_step: 200 }])).toEqual([0, 250]);
    route.value = parseHash("#/run/a?x=step&from=10&to=20");
    expect(extentWith(run, [{ first_step: 50, last_step: 1250 }])).toEqual([10, 20]);
    route.value = parseHash("#/run/a?x=time");
    expect(extentWith(run, [{ first_step: 50, last_step: 1250 }])).toEqual([0, 1000]);
  });
});

describe("the heat map", () => {
  it("is not ruled by one outlier", () => {
    const rows = [Array.from({ length: 200 }, (_, i) => (i === 7 ? 1e6 : 100 + (i % 10)))];
    expect(heatScale(rows).high).toBeLessThan(120);
    expect(heatScale([[null]])).toEqual({ low: 0, high: 1 });
    expect(heatColour(1e9, { low: 0, high: 1 })).toBe(heatColours.at(-1));
  });
  it("knows what is under the pointer", () => {
    const found = { ranks: [{ rank: 0 }, { rank: 1 }], edges_ms: [0, 10, 20], step_ms: [[1, 2], [3, 4]] };
    expect(cellAt(found, 15, 1, (ms) => ms)).toEqual({ rank: 1, bucket: 1 });
    expect(cellAt(found, 25, 1, (ms) => ms)).toBeNull();
    expect(cellAt(found, 5, 2, (ms) => ms)).toBeNull();
  });
});

describe("logged values", () => {
  const value = (name: string) => series(name, { kind: "value" });
  it("stand together by the beginning of their names", () => {
    const groups = valueGroups([value("val/loss"), value("train/loss"), value("train/acc"), series("host.iowait")], "");
    expect(groups.map((group) => [group.name, group.panels.map((panel) => panel.name)])).toEqual([["train", ["train/acc", "train/loss"]], ["val", ["val/loss"]]]);
  });
  it("are filtered by an expression, or by what is not yet one", () => {
    expect(matches("train/loss", "^train")).toBe(true);
    expect(matches("train/(x", "(x")).toBe(true);
    expect(matches("val/loss", "^train")).toBe(false);
  });
});

it("tags are words, each once", () => {
  expect(readTags(" night, two words ,night,")).toEqual(["night", "two words"]);
});

it("the ledger's scale holds all intervals and 1", () => {
  const trial = { predicted_interval: [1.5, 2.5], interval: [0.8, 0.85] };
  expect(scaleOf({ trials: [trial], final: undefined } as unknown as Tune)).toEqual({ low: 0.8, high: 2.5 });
  expect(times(undefined)).toBe("–");
});

describe("what was logged beside numbers", () => {
  const rows = [{ t_ms: 1, step: 0, data: { note: "a", hist: { _type: "histogram", bins: [0, 1, 2], values: [3, 4] } } }, { t_ms: 2, step: null, data: { note: "b" } }];
  it("stands by name, as it was logged", () => {
    expect(mediaOf([{ rows }, {}]).map((one) => [one.name, one.entries.length, typeOf(one.entries[0]!.value)])).toEqual([["hist", 1, "histogram"], ["note", 2, "text"]]);
  });
  it("is a histogram only where it is whole", () => {
    expect(histogramFigure("h", { bins: [0, 1, 2], values: [3, 4] })!.xs).toEqual([0.5, 1.5]);
    expect(histogramFigure("h", { bins: [0, 1], values: [3, 4] })).toBeNull();
    expect(histogramFigure("h", { bins: "x", values: null })).toBeNull();
  });
});
