import { describe, expect, it } from "vitest";
import { parseHash, toHash } from "./hash";

describe("addresses", () => {
  it("name a view and its state", () => {
    const { path, query } = parseHash("#/run/k3q9?x=step&off=a~b&off=a~c");
    expect(path).toEqual(["run", "k3q9"]);
    expect(query.getAll("off")).toEqual(["a~b", "a~c"]);
  });
  it("come back as they were, whatever stands in them", () => {
    const query = new URLSearchParams({ q: 'config.lr < 0.1 and "a&b?c"' });
    const found = parseHash(toHash(["run", "a/b %"], query));
    expect(found.path).toEqual(["run", "a/b %"]);
    expect(found.query.get("q")).toBe('config.lr < 0.1 and "a&b?c"');
  });
  it("that are broken are no error", () => {
    expect(parseHash("#/run/%E0%A4%A").path).toEqual(["run", "%E0%A4%A"]);
    expect(parseHash("").path).toEqual([]);
  });
});
