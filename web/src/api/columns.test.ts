import { describe, expect, it } from "vitest";
import { readColumns } from "./columns";
// The writer of the mock server, so that it and the page agree.
import { columns } from "../../mock/series.mjs";

const bytesOf = (buffer: Uint8Array) => new Uint8Array(buffer).buffer as ArrayBuffer;

describe("columns", () => {
  const curves = [
    { key: "m:device.utilization:0", x: [1, 2], min: [0, 0.5], max: [1, 1], mean: [0.4, 0.7], last: [0.5, Number.NaN], raw: false },
    { key: "v:12:0:löss", x: [5], min: [], max: [], mean: [], last: [7], raw: true },
  ];
  it("come back as they were", () => {
    const [one, two] = readColumns(bytesOf(columns(curves)));
    expect(one).toEqual({ key: "m:device.utilization:0", x: [1, 2], low: [0, 0.5], high: [1, 1], mean: [0.4, 0.7], last: [0.5, null], raw: false });
    expect(two).toEqual({ key: "v:12:0:löss", x: [5], low: [7], high: [7], mean: [7], last: [7], raw: true });
  });
  it("are refused where they end too early, wherever that is", () => {
    const whole = columns(curves);
    for (let length = 0; length < whole.length; ++length) expect(() => readColumns(bytesOf(whole.subarray(0, length)))).toThrow();
  });
  it("are refused where a length is larger than what came", () => {
    const bytes = new Uint8Array(columns(curves));
    new DataView(bytes.buffer).setUint32(12, 0xffffffff, true);
    expect(() => readColumns(bytesOf(bytes))).toThrow(RangeError);
  });
});
