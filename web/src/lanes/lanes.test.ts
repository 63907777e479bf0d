import { describe, expect, it } from "vitest";
import type { LanesAnswer } from "../api/types";
import { colourOf, meaningOf } from "./colours";
import { layoutOf, neighbour, reading, spanAt, ticks } from "./layout";
import { inkOn } from "./paint";
import { lanesCsv, lanesSvg } from "./save";

const answer: LanesAnswer = {
  schema: "flatout.lanes/1", from_ms: 0, to_ms: 100, left_out: 0, steps: [{ step: 7, at_ms: 10 }],
  names: [{ text: "forward", kind: "forward" }, { text: "=gemm<&>", kind: "gemm" }],
  lanes: [
    { group: "rank 0", label: "phases", kind: "phases", spans: [[0, 40, 40, 0, 1], [50, 90, 40, 0, 1]] },
    { group: "GPU 0", label: "stream 7", kind: "stream", spans: [[45, 60, 3, 1, 12]] },
  ],
};
const layout = layoutOf(answer);

describe("lanes", () => {
  it("stand below the name of their group", () => {
    expect(layout.heads.map((head) => head.text)).toEqual(["rank 0", "GPU 0"]);
    expect(layout.rows[0]!.top).toBeGreaterThan(layout.heads[0]!.top);
    expect(layout.height).toBeGreaterThan(layout.rows[1]!.top + 20);
  });
  it("are pointed at by time and row", () => {
    const y = layout.rows[0]!.top + 5;
    expect(spanAt(answer, layout, 20, y, 0)).toEqual({ lane: 0, span: 0 });
    expect(spanAt(answer, layout, 45, y, 0)).toBeNull();
    expect(spanAt(answer, layout, 45, y, 6)).toEqual({ lane: 0, span: 0 });
    expect(spanAt(answer, layout, 20, layout.heads[1]!.top + 2, 0)).toBeNull();
  });
  it("are gone over by keys, from lane to lane to what is nearest", () => {
    expect(neighbour(answer, null, "ArrowRight")).toEqual({ lane: 0, span: 0 });
    expect(neighbour(answer, { lane: 0, span: 1 }, "ArrowRight")).toEqual({ lane: 0, span: 1 });
    expect(neighbour(answer, { lane: 1, span: 0 }, "ArrowUp")).toEqual({ lane: 0, span: 1 });
    expect(neighbour(answer, { lane: 1, span: 0 }, "ArrowDown")).toEqual({ lane: 1, span: 0 });
    expect(neighbour({ ...answer, lanes: [] }, null, "Home")).toBeNull();
  });
  it("say what is put together", () => {
    expect(reading(answer, { lane: 1, span: 0 })).toBe("GPU 0, stream 7: 12 put together, the longest =gemm<&>, 3 ms of 15 ms, at 0.045 s");
  });
  it("become files without formulas and without markup", () => {
    expect(lanesCsv(answer).split("\r\n")[3]).toBe("GPU 0,stream 7,'=gemm<&>,45,60,3,12");
    expect(lanesSvg(answer, 400, () => "red")).not.toMatch(/<&>|=gemm</);
  });
  it("have a colour and a meaning for what is not known, too", () => {
    expect([colourOf("idle", "new"), colourOf("stream", "new"), colourOf("phases", "new")]).toEqual(["other", "other", "other"]);
    expect(meaningOf("idle", "data")).toBe("idle: waiting for data");
  });
  it("write in black on light ground and in white on dark", () => {
    expect([inkOn("rgb(240, 192, 32)"), inkOn("rgb(0, 60, 110)")]).toEqual(["#000", "#fff"]);
  });
  it("have round ticks", () => {
    expect(ticks(0, 100, 5).map((tick) => tick.at)).toEqual([0, 20, 40, 60, 80, 100]);
    expect(ticks(7754.2, 7920, 6).length).toBeLessThanOrEqual(7);
  });
});
