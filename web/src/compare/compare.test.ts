import { describe, expect, it } from "vitest";
import type { RunDetail, SeriesInfo } from "../api/types";
import { differs } from "./ConfigTable";
import { change, sentence } from "./Difference";
import { overlay, sharedValues, stepTimes } from "./overlay";
import { parallelAxes } from "./parallel";

const run = (id: string, config: object, more: Partial<RunDetail> = {}, started_ms = 0): RunDetail =>
  ({ row: { id, state: "finished", started_ms, tracked: { id, config, summary: {} } }, series: [], live: false, ...more }) as RunDetail;
const value = (name: string, key = name): SeriesInfo => ({ key, name, kind: "value", count: 3 });

describe("a difference", () => {
  it("is claimed only where the interval shows it", () => {
    expect(sentence({ speedup: { ratio: 1.3, interval: [1.2, 1.4], shown: true } })).toEqual({ kind: "faster", text: "1.30× as fast (95 %: 1.20 to 1.40)" });
    expect(sentence({ speedup: { ratio: 1.01, interval: [0.9, 1.1], shown: false } }).kind).toBe("open");
    expect(sentence({ speedup: { ratio: 0.5, interval: [0.4, 0.6], shown: true } }).text).toContain("2.00× slower");
    expect(sentence({ speedup: { ratio: 4.4, by_clock: 0.8, interval: [4, 5], shown: true } })).toMatchObject({ kind: "open", text: expect.stringContaining("1.25× slower by the clock") });
    expect(sentence({ no_speedup: "too few steps" })).toEqual({ kind: "open", text: "too few steps" });
  });
  it("of a figure is a share, where it has one", () => {
    expect(change(100, 95)).toBe("−5.0 %");
    expect(change(0, 5)).toBe("");
    expect(change(undefined, 5)).toBe("");
  });
  it("of configurations sees absence", () => {
    expect(differs([1, null])).toBe(true);
    expect(differs([{ a: 1 }, { a: 1 }])).toBe(false);
  });
});

describe("overlays", () => {
  it("hold a value of each run once", () => {
    const a = run("a", {}, { series: [value("loss", "v:1"), value("loss", "v:2"), value("acc")] });
    expect([...sharedValues([a, run("b", {}, { series: [value("loss")] })])].map(([name, runs]) => [name, runs.length])).toEqual([["acc", 1], ["loss", 2]]);
  });
  it("along wall time begin where their runs began", () => {
    const points = { key: "v", x: [0, 10], low: [1, 2], high: [1, 2], mean: [1, 2], last: [1, 2], raw: true };
    const figure = overlay("loss", "", [{ detail: run("a", {}, {}, 1000), series: points }, { detail: run("b", {}, {}, 1500), series: points }], "wall", ["a", "b"]);
    expect(figure.xs).toEqual([0, 10, 500, 510]);
  });
});

it("step times are a series like others", () => {
  const bucket = { first_step: 0, last_step: 3, from_ms: 0, to_ms: 40, mean_ms: 10, min_ms: 8, max_ms: 14, phase_ms: [] };
  expect(stepTimes({ phases: [], buckets: [bucket] }, "step")).toMatchObject({ x: [1.5], mean: [10], low: [8], high: [14] });
  expect(stepTimes({ phases: [], buckets: [bucket] }, "relative").x).toEqual([20]);
});

describe("parallel coordinates", () => {
  const axes = parallelAxes([run("a", { lr: 0.1, opt: "sgd", same: 1 }), run("b", { lr: 0.3, opt: "adam", same: 1 }), run("c", { lr: 0.2 })]);
  it("have an axis for what differs, numbers and words", () => {
    expect(axes.map((axis) => axis.name)).toEqual(["config.lr", "config.opt"]);
    expect(axes[1]!.words).toEqual(["adam", "sgd"]);
  });
  it("have what flatout saw of the configuration, too", () => {
    const seen = { keys: [{ key: "loader.workers", values: [0, 8] }, { key: "command", values: ["a", "b"] }, { key: "lr", values: [9, 9] }] };
    expect(parallelAxes([run("a", { lr: 1 }), run("b", { lr: 2 })], seen).map((axis) => axis.name)).toEqual(["config.lr", "config.loader.workers"]);
  });
  it("have a hole where a run has no value", () => {
    expect(axes[1]!.values).toEqual([1, 0, null]);
    expect(axes[0]!.values.map((one) => one!.toFixed(1))).toEqual(["0.0", "1.0", "0.5"]);
  });
});
