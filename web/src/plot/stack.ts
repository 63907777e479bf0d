// Lines upon each other: the sums up to each one. A hole counts as nothing unless all are holes.
import type { Line } from "./figure";

export function stacked(lines: readonly Line[], count: number): (number | null)[][] {
  const sum = new Array<number | null>(count).fill(null);
  return lines.map((line) => {
    for (let i = 0; i < count; ++i) {
      const value = line.values[i] ?? null;
      if (value !== null) sum[i] = (sum[i] ?? 0) + value;
    }
    return [...sum];
  });
}
