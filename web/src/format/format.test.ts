import { describe, expect, it } from "vitest";
import { flatten, text } from "./json";
import { ago, offset } from "./moment";
import { bytes, digits, farthest, milliseconds, percent, quantity, quantityBeside, seconds } from "./quantity";

describe("quantities", () => {
  it("have three digits and a unit", () => {
    expect(digits(0.012345)).toBe("0.0123");
    expect(digits(1234.4)).toBe("1\u202f234");
    expect(digits(1.5e7)).toBe("1.50e7");
    expect(bytes(8.64e9)).toBe("8.64 GB");
    expect(milliseconds(0.25)).toBe("250 µs");
    expect(milliseconds(12_340)).toBe("12.3 s");
    expect(seconds(250)).toBe("4 min 10 s");
    expect(seconds(7500)).toBe("2 h 05 min");
    expect(quantity(1755, "megahertz")).toBe("1.75 GHz");
  });
  it("say a trace of something, and nothing of what is absent", () => {
    expect(percent(0.004)).toBe("<1 %");
    expect(percent(0)).toBe("0 %");
    expect(percent(0.86)).toBe("86 %");
    expect(quantity(null, "ratio")).toBe("–");
    expect(quantity(Number.NaN, "ms")).toBe("–");
  });
  it("never carry seconds to sixty", () => {
    for (let s = 60; s < 8000; s += 0.37) expect(seconds(s)).not.toMatch(/\b60 (s|min)/);
  });
});

describe("moments", () => {
  it("are told from now", () => {
    expect(ago(0, 30_000)).toBe("just now");
    expect(ago(0, 3 * 3_600_000)).toBe("3 h ago");
  });
  it("are places in a run", () => {
    expect(offset(90_000)).toBe("1:30");
    expect(offset(3_750_000)).toBe("1:02:30");
    expect(offset(1250, 100)).toBe("1.3 s");
    expect(offset(90_500, 500)).toBe("1:30.5");
  });
});

describe("nested values", () => {
  it("become flat keys", () => {
    expect([...flatten({ a: { b: 1, c: [1] }, d: null })]).toEqual([["a.b", 1], ["a.c", [1]], ["d", null]]);
  });
  it("become text", () => {
    expect(text(0.1 + 0.2)).toBe("0.3");
    expect(text(null)).toBe("–");
    expect(text({ a: 1 })).toBe('{"a":1}');
  });
});

it("gives an axis one unit", () => {
  const text = (values: number[], unit: string) => values.map((value) => quantityBeside(value, farthest(values), unit));
  expect(text([0, 2000, 8000, 10_000], "ms")).toEqual(["0 s", "2 s", "8 s", "10 s"]);
  expect(text([0, 500, 1500], "ms")).toEqual(["0 ms", "500 ms", "1 500 ms".replace(" ", "\u202f")]);
  expect(text([0, 500e6, 1.5e9], "bytes")).toEqual(["0 GB", "0.5 GB", "1.5 GB"]);
  expect(text([0, 200, 400], "bytes_per_s")).toEqual(["0 B/s", "200 B/s", "400 B/s"]);
});
