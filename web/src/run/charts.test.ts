// Idle causes, the loader over time, plans of the ledger, logged tables.
import { describe, expect, it } from "vitest";
import type { IdleAnswer, LoaderAnswer, StepsAnswer, Tune } from "../api/types";
import { idleFigure } from "./IdlePanel";
import { ownRun, planBefore, planDiff, runBefore } from "./ledger_plan";
import { loaderFigures } from "./LoaderTimes";
import { artifactText } from "./LoggedFiles";
import { readTable, tableCsv } from "./LoggedTable";
import { busy } from "./StepPanels";

const part = { first_step: 0, last_step: 1, from_ms: 0, to_ms: 20 };

describe("idle causes", () => {
  const answer: IdleAnswer = {
    schema: "flatout.idle/1", devices: [{ pid: 1, device: 0, rank: null, label: "GPU 0" }], causes: ["data", "copy"],
    buckets: [{ ...part, known_ms: 10, idle_ms: [4, 0] }, { ...part, known_ms: 0, idle_ms: null }],
  };
  it("are shares of what was traced, and a hole where nothing was", () => {
    expect(idleFigure(answer, "step", "")!.lines).toEqual([{ label: "waiting for data", colour: "data-wait", values: [0.4, null] }]);
  });
  it("have no panel without any, and no place on an axis of steps without steps", () => {
    expect(idleFigure({ ...answer, buckets: [] }, "time", "")).toBeNull();
    expect(idleFigure({ ...answer, buckets: [{ ...answer.buckets[0]!, first_step: null, last_step: null }] }, "step", "")).toBeNull();
  });
});

describe("the loader", () => {
  const bucket = { from_ms: 0, to_ms: 10, ready_mean: null, ready_min: null, ready_max: null, draws: 1, wait_mean_ms: 3, wait_max_ms: 4, fetch_ms: [5, null] };
  const answer: LoaderAnswer = { schema: "flatout.loader/1", workers: [{ pid: 1, label: "worker 0" }, { pid: null, label: "worker 1" }], in_step_thread: false, buckets: [bucket] };
  it("has no queue where none is known", () => {
    expect(loaderFigures(answer, "time", (ms) => ms).map((one) => one.id)).toEqual(["waits", "fetch"]);
  });
  it("has one line of many workers, with their spread", () => {
    const many = { ...answer, workers: Array.from({ length: 12 }, (_, i) => ({ pid: i, label: `worker ${i}` })), buckets: [{ ...bucket, fetch_ms: [2, 4, null] }] };
    expect(loaderFigures(many, "time", (ms) => ms)[1]!.figure.lines).toMatchObject([{ values: [3], low: [2], high: [4] }]);
  });
  it("has no place beyond the steps", () => {
    expect(loaderFigures(answer, "step", () => null)).toEqual([]);
  });
});

describe("the ledger", () => {
  const trial = (knob: string, from: unknown, to: unknown, kept: boolean, run: string) => ({ knob, from, to, kept, runs: [run] });
  const tune = { baseline: { runs: ["base"] }, trials: [trial("a", 0, 8, true, "one"), trial("b", "off", true, false, "two"), trial("a", 8, 4, true, "three"), { ...trial("c", 0, 1, true, "four"), from: undefined }] } as unknown as Tune;
  it("holds each trial against what was kept before it", () => {
    expect(planDiff(tune, 1).map((one) => `${one.sign}${one.text}`)).toEqual([" a = 8", '-b = "off"', "+b = true"]);
    expect(planDiff(tune, 2).map((one) => `${one.sign}${one.text}`)).toEqual(["-a = 8", "+a = 4"]);
    expect(planDiff(tune, 3).map((one) => `${one.sign}${one.text}`)).toEqual([" a = 4", "+c = 1"]);
    expect(planBefore(tune, 0)).toEqual({});
  });
  it("knows the run that shows it", () => {
    expect([0, 1, 2, 3].map((i) => runBefore(tune, i))).toEqual(["base", "one", "one", "three"]);
    const trial = tune.trials[0]!;
    expect(ownRun({ ...trial, runs: ["base", "own"], block_pairs: 5 })).toBe("own");
    expect(ownRun({ ...trial, runs: ["base"], block_pairs: 5 })).toBeNull();
  });
});

describe("logged tables", () => {
  it("are read whatever lies in the file", () => {
    for (const wrong of [null, 7, [], {}, { columns: "a", data: [] }]) expect(readTable(wrong)).toBeNull();
    expect(readTable({ columns: ["a", 2], data: [[1], "no row", [2, 3]] })).toEqual({ columns: ["a", "2"], data: [[1], [2, 3]] });
  });
  it("become CSV without formulas", () => {
    expect(tableCsv({ columns: ["a", "=b"], data: [["=1+1", null], ['say "x"'], [{ k: 1 } as never, -2]] })).toBe(`a,'=b\r\n'=1+1,\r\n"say ""x""",\r\n"{""k"":1}",-2\r\n`);
  });
  it("stand beside files of artifacts, whatever those are called", () => {
    expect(artifactText({ name: "model", version: "v3", type: "model", aliases: ["latest", 7] })).toBe("model:v3 (model; latest)");
    expect([artifactText(null), artifactText({})]).toEqual(["", ""]);
  });
});

describe("device busy", () => {
  it("joins readings that come less often than steps, and leaves longer holes", () => {
    const bucket = (from: number, device_busy: number | null) => ({ ...part, from_ms: from, to_ms: from + 10, mean_ms: 10, min_ms: 9, max_ms: 11, phase_ms: [], device_busy });
    const buckets = [bucket(0, 0.5), bucket(10, null), bucket(20, 0.6), bucket(30, null), bucket(40, 0.7), bucket(400, 0.8)];
    expect(busy({ buckets, device: 3 } as unknown as StepsAnswer, "time")).toMatchObject({ title: "Device busy in the steps, GPU 3", xs: [5, 25, 45, 225, 405], lines: [{ values: [0.5, 0.6, 0.7, null, 0.8] }] });
  });
});
