// Several series on one axis: the union of their places, with holes where one has no point.
import type { Series } from "../api/types";

export interface Aligned {
  xs: number[];
  columns: { values: (number | null)[]; low?: (number | null)[]; high?: (number | null)[] }[];
}

function sameAxis(all: Series[]): boolean {
  const first = all[0]!.x;
  return all.every(
    ({ x }) => x === first || (x.length === first.length && x.every((value, i) => value === first[i])),
  );
}

function union(all: Series[]): number[] {
  const merged = new Float64Array(all.reduce((sum, one) => sum + one.x.length, 0));
  let at = 0;
  for (const one of all) {
    merged.set(one.x, at);
    at += one.x.length;
  }
  merged.sort();
  const xs: number[] = [];
  for (const x of merged) if (x !== xs[xs.length - 1]) xs.push(x);
  return xs;
}

// Puts values at their places of `xs`, carrying a value into holes that lie between two of its own
// points, so that lines of two rhythms can be read under one cursor.
function spreadOver(xs: number[], x: number[], values: (number | null)[]): (number | null)[] {
  const found = new Array<number | null>(xs.length).fill(null);
  let at = 0;
  for (let i = 0; i < xs.length; ++i) {
    while (at < x.length && x[at]! < xs[i]!) ++at;
    if (at < x.length && x[at] === xs[i]) found[i] = values[at] ?? null;
    else if (at > 0 && at < x.length) found[i] = values[at - 1] ?? null;
  }
  return found;
}

export function align(all: Series[]): Aligned {
  if (all.length === 0) return { xs: [], columns: [] };
  const shared = sameAxis(all);
  const xs = shared ? all[0]!.x : union(all);
  const columns = all.map((one) => {
    const put = (values: (number | null)[]) => (shared ? values : spreadOver(xs, one.x, values));
    if (one.raw) return { values: put(one.last) };
    return { values: put(one.mean), low: put(one.low), high: put(one.high) };
  });
  return { xs, columns };
}
