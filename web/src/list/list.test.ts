import { describe, expect, it } from "vitest";
import type { ListQuery } from "../api/address";
import type { RunRow } from "../api/types";
import { columnOf, trackedColumns } from "./columns";
import { grouped } from "./grouping";
import { Pages } from "./pages";
import { errorColumn } from "./SearchBox";
import { fullQuery } from "./query";
import { ownColumns } from "./state";
import { rowsInView } from "./window";

const row = (id: string, more: Partial<RunRow> = {}): RunRow => ({ id, state: "finished", ...more });

describe("queries", () => {
  it("leave trials out without changing what is meant", () => {
    expect(fullQuery("a or b", false)).toBe('(a or b) and kind != "trial"');
    expect(fullQuery(" ", false)).toBe('kind != "trial"');
    expect(fullQuery("a", true)).toBe("a");
  });
  it("have their mistakes where the user made them", () => {
    expect(ownColumns("unexpected x at column 5", false)).toBe("unexpected x at column 4");
    expect(errorColumn("unexpected x at column 4")).toBe(4);
    expect(errorColumn("no")).toBeNull();
  });
});

it("only rows in the window are drawn", () => {
  expect(rowsInView(0, 400, 40, 5000)).toEqual({ first: 0, last: 18 });
  expect(rowsInView(4000, 400, 40, 5000)).toEqual({ first: 92, last: 118 });
  expect(rowsInView(1e9, 400, 40, 10)).toEqual({ first: 9, last: 9 });
  expect(rowsInView(0, 400, 40, 0).last).toBe(-1);
});

describe("groups", () => {
  const rows = [row("a", { tracked: { id: "a", project: "x" } }), row("b"), row("c", { tracked: { id: "c", project: "x" } })];
  it("stand in the order of their first row", () => {
    expect(grouped(rows, "project", new Set()).map((item) => ("head" in item ? `${item.head} ${item.count}` : item.row.id))).toEqual(["x 2", "a", "c", "– 1", "b"]);
  });
  it("can be folded", () => {
    expect(grouped(rows, "project", new Set(["x"])).length).toBe(3);
  });
});

describe("columns", () => {
  it("are what some run logged", () => {
    expect(trackedColumns([row("a", { tracked: { id: "a", config: { model: { layers: 3 } }, summary: { loss: 1 } } })])).toEqual(["config.model.layers", "summary.loss"]);
    expect(columnOf("config.model.layers")!.show(row("a", { tracked: { id: "a", config: { model: { layers: 3 } } } }))).toBe("3");
    expect(columnOf("nonsense")).toBeNull();
  });
});

describe("pages of the list", () => {
  function server(total: number) {
    const asked: ListQuery[] = [];
    const ask = (query: ListQuery) => {
      asked.push(query);
      const runs = Array.from({ length: Math.max(0, Math.min(query.limit, total - query.offset)) }, (_, i) => row(`${query.query}${query.offset + i}`));
      return Promise.resolve({ total, matched: total, runs });
    };
    return { asked, ask };
  }
  const settle = () => new Promise((done) => setTimeout(done));
  it("come once each, as they are needed", async () => {
    const { asked, ask } = server(450);
    const pages = new Pages(ask);
    pages.set("q", "id", "asc");
    await settle();
    pages.need(0, 20);
    pages.need(90, 210);
    pages.need(90, 210);
    await settle();
    expect(asked.map((query) => query.offset)).toEqual([0, 100, 200]);
    expect(pages.row(205)?.id).toBe("q205");
    expect(pages.row(305)).toBeNull();
  });
  it("are dropped by a new query, and shown until it is answered", async () => {
    const { ask } = server(300);
    const pages = new Pages(ask);
    pages.set("a", "id", "asc");
    await settle();
    pages.need(100, 110);
    await settle();
    pages.set("b", "id", "asc");
    expect(pages.row(105)?.id).toBe("a105");
    await settle();
    expect(pages.row(5)?.id).toBe("b5");
    expect(pages.row(105)).toBeNull();
  });
  it("keep what they have when the server fails, and say why", async () => {
    let broken = false;
    const { ask } = server(50);
    const pages = new Pages((query) => (broken ? Promise.reject(new Error("gone")) : ask(query)));
    pages.set("a", "id", "asc");
    await settle();
    broken = true;
    pages.refresh(0, 10);
    await settle();
    expect(pages.state.value.error).toBe("gone");
    expect(pages.row(0)?.id).toBe("a0");
  });
});
