import { describe, expect, it } from "vitest";
import type { Output, OutputLine } from "../api/types";
import { covers, lineAt, mostLines, partOf, withEarlier, withLater } from "./output";

const line = (ms: number, pid = 1): OutputLine => ({ t_ns: ms * 1e6, pid, stream: "stdout", text: `at ${ms}` });
const answer = (from: number, to: number, more: boolean, reached: number | null = null): Output => ({
  processes: [], lines: Array.from({ length: to - from }, (_, i) => line(from + i)), more, reached_ns: reached,
});
const places = (lines: OutputLine[]) => [lines[0]?.text, lines[lines.length - 1]?.text, lines.length];

describe("output", () => {
  it("finds the last line before a time", () => {
    const lines = [line(10), line(20), line(30)];
    expect([5, 10, 25, 99].map((ms) => lineAt(lines, ms))).toEqual([-1, 0, 1, 2]);
    expect(lineAt([], 5)).toBe(-1);
  });
  it("knows what lies before and after its part", () => {
    const part = partOf(answer(10, 20, true), answer(20, 30, false));
    expect([part.before, part.after]).toEqual([10e6, null]);
    expect([5, 15, 99].map((ms) => covers(part, ms))).toEqual([false, true, true]);
    expect(covers(partOf(answer(0, 0, false), null), 5)).toBe(true);
  });
  it("grows at either end and stays small", () => {
    let part = partOf(answer(1000, 1000 + mostLines, true), null);
    part = withEarlier(part, answer(900, 1001, true));
    expect(places(part.lines)).toEqual(["at 900", `at ${900 + mostLines - 1}`, mostLines]);
    expect(part.after).toBe((900 + mostLines - 1) * 1e6);
    part = withLater(part, answer(1799, 1900, false));
    expect(places(part.lines)).toEqual(["at 1000", "at 1899", mostLines]);
    expect([part.before, part.after]).toEqual([1000e6, null]);
  });
  it("goes on from where a long search stopped", () => {
    expect(partOf(answer(0, 0, true, 77), null).before).toBe(77);
  });
  it("takes a line again that has been finished, and two processes of one time", () => {
    const part = partOf({ ...answer(0, 0, false), lines: [{ ...line(5), going_on: true, text: "Load" }] }, null);
    const later = withLater(part, { ...answer(0, 0, false), lines: [{ ...line(5), text: "Loaded" }, line(5, 2)] });
    expect(later.lines.map((one) => one.text)).toEqual(["Loaded", "at 5"]);
  });
});
