import { describe, expect, it } from "vitest";
import type { Series } from "../api/types";
import { align } from "./align";
import { ticks } from "./axis";
import { columnsOf } from "./columns_of";
import { cell, toCsv } from "./csv";
import { rowsOf } from "./DataTable";
import { ema } from "./ema";
import { isEmpty, spread, without, type Figure } from "./figure";
import { spanOf, stairs } from "./stairs";
import { stacked } from "./stack";
import { stepsAxis } from "./steps_axis";
import { toSvg } from "./svg";

const raw = (key: string, x: number[], last: (number | null)[]): Series => ({ key, x, last, low: last, high: last, mean: last, raw: true });
const figure: Figure = {
  title: 'a <b> & "c"', unit: "ratio", xKind: "time", xs: [0, 1000, 2000], shape: "lines",
  lines: [{ label: "one", colour: "line-0", values: [0.1, null, 0.3], low: [0, null, 0.2], high: [0.2, null, 0.4] }, { label: "two", colour: "line-1", values: [1, 2, 3] }],
};

describe("smoothing", () => {
  it("starts without bias and keeps holes", () => {
    expect(ema([4, 4, 4], 0.9).map((value) => Math.round(value!))).toEqual([4, 4, 4]);
    expect(ema([1, null, 3], 0.5)).toEqual([1, null, 7 / 3]);
    expect(ema([1, 2], 0)).toEqual([1, 2]);
  });
});

describe("series on one axis", () => {
  it("share it where they can", () => {
    const one = raw("a", [1, 2], [1, 2]);
    expect(align([one, raw("b", [1, 2], [3, 4])]).xs).toBe(one.x);
  });
  it("get the union of their places, and hold their value between their own points only", () => {
    const { xs, columns } = align([raw("a", [1, 3, 5], [10, 30, 50]), raw("b", [2, 4], [2, 4])]);
    expect(xs).toEqual([1, 2, 3, 4, 5]);
    expect(columns[0]!.values).toEqual([10, 10, 30, 30, 50]);
    expect(columns[1]!.values).toEqual([null, 2, 2, 4, null]);
  });
  it("draw the mean, between the extremes", () => {
    const { columns } = align([{ key: "a", x: [1], low: [0], high: [9], mean: [3], last: [8], raw: false }]);
    expect(columns[0]).toEqual({ values: [3], low: [0], high: [9] });
  });
});

describe("steps and time", () => {
  const axis = stepsAxis({ step: [0, 10, 20], ms: [1000, 2000, 4000] });
  it("are read off each other", () => {
    expect(axis.toStep(1500)).toBe(5);
    expect(axis.toStep(3000)).toBe(15);
    expect(axis.toTime(15)).toBe(3000);
    expect(axis.extent).toEqual([0, 20]);
  });
  it("end with the steps", () => {
    expect(axis.toStep(500)).toBeNull();
    expect(axis.toStep(4001)).toBeNull();
    expect(stepsAxis({ step: [], ms: [] }).toStep(1)).toBeNull();
  });
});

describe("figures", () => {
  it("know when there is nothing in them", () => {
    expect(isEmpty(figure)).toBe(false);
    expect(isEmpty({ ...figure, lines: [{ label: "", colour: "x", values: [null, null, null] }] })).toBe(true);
  });
  it("lose the lines that are off", () => {
    expect(without(figure, new Set(["one"])).lines.map((line) => line.label)).toEqual(["two"]);
  });
  it("say how far their values go, extremes included", () => {
    expect(spread(figure.lines[0]!)).toEqual({ low: 0, high: 0.4, last: 0.3 });
  });
  it("stack, a hole being nothing unless all are holes", () => {
    const lines = [[1, null, null], [2, 3, null]].map((values) => ({ label: "", colour: "", values }));
    expect(stacked(lines, 3)).toEqual([[1, null, null], [3, 3, null]]);
  });
  it("have a ghost behind what is smoothed, and no zero on a log axis", () => {
    const roles = columnsOf(figure, { log: false, smoothing: 0.5 }).map((one) => one.role);
    expect(roles).toEqual(["high", "low", "ghost", "line", "ghost", "line"]);
    const zero = { ...figure, lines: [{ label: "", colour: "", values: [0, 1, -1] }] };
    expect(columnsOf(zero, { log: true, smoothing: 0 })[0]!.values).toEqual([null, 1, null]);
  });
  it("show evenly chosen rows in their table, first and last among them", () => {
    const rows = rowsOf({ ...figure, xs: Array.from({ length: 1000 }, (_, i) => i) });
    expect([rows[0], rows.at(-1), rows.length]).toEqual([0, 999, 60]);
  });
});

describe("files", () => {
  it("of CSV have all columns, and no formulas", () => {
    expect(toCsv(figure).split("\r\n").slice(0, 3)).toEqual(["time_ms,one,one min,one max,two", "0,0.1,0,0.2,1", "1000,,,,2"]);
    expect(cell("=HYPERLINK(1)")).toBe("'=HYPERLINK(1)");
    expect(cell("-3.5")).toBe("-3.5");
    expect(cell('a,"b"')).toBe('"a,""b"""');
  });
  it("of SVG are well-formed and hold no markup of others", () => {
    const svg = toSvg({ ...figure, lines: [{ ...figure.lines[0]!, label: "<script>" }] }, { log: false, smoothing: 0 }, { colour: () => "#123" });
    expect(svg).toContain("a &lt;b&gt; &amp; &quot;c&quot;");
    expect(svg).not.toContain("<script>");
    expect(svg).not.toMatch(/NaN|undefined|Infinity/);
  });
  it("of SVG can have a log axis, bars and areas", () => {
    for (const shape of ["lines", "bars", "stack"] as const)
      for (const log of [true, false]) expect(toSvg({ ...figure, shape }, { log, smoothing: 0 }, { colour: () => "#123" })).not.toMatch(/NaN|undefined|Infinity/);
  });
});

it("ticks stand at round places", () => {
  expect(ticks(0, 1, 5)).toEqual([0, 0.2, 0.4, 0.6000000000000001, 0.8, 1]);
  expect(ticks(0, 90_000, 3, [10_000, 30_000, 60_000])).toEqual([0, 30_000, 60_000, 90_000]);
  expect(ticks(5, 5, 3)).toEqual([5]);
});

describe("areas over buckets", () => {
  const buckets: Figure = {
    title: "", unit: "ms", xKind: "time", xs: [5, 15, 35, 45], spans: [[0, 10], [10, 20], [30, 40], [40, 50]], shape: "stack",
    lines: [{ label: "one", colour: "line-0", values: [1, 9, 1, null] }],
  };
  it("are as wide as what they stand for, with nothing between", () => {
    expect(stairs(buckets.spans!, [1, 9, 1, null])).toEqual([[[0, 1], [10, 1], [10, 9], [20, 9]], [[30, 1], [40, 1]]]);
    expect(stairs(buckets.spans!, [null, 9, null, 2])).toEqual([[[10, 9], [20, 9]], [[40, 2], [50, 2]]]);
    expect(stairs(buckets.spans!, [1, 9, 1, 1], 1, 1)).toEqual([[[10, 9], [20, 9]]]);
  });
  it("stand around their steps", () => {
    const one = { first_step: 4, last_step: 5, from_ms: 1, to_ms: 3 };
    expect([spanOf(one, "step"), spanOf(one, "time")]).toEqual([[3.5, 5.5], [1, 3]]);
  });
  it("are the same in an SVG", () => {
    const path = /<path d="(M[^"]*)"/.exec(toSvg(buckets, { log: false, smoothing: 0 }, { colour: (name) => name }))![1]!;
    const ys = (part: string) => [...part.matchAll(/[ML]([\d.]+) ([\d.]+)/g)].map((found) => +found[2]!);
    const [first, second] = path.split("Z");
    expect(ys(first!)).toHaveLength(6);
    expect(new Set(ys(first!)).size).toBe(3); // the axis and two heights, with no slope
    expect(ys(second!)).toHaveLength(4);
  });
});
