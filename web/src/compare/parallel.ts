// Axes of parallel coordinates: what differs in the configuration, then what came of it.
import type { ConfigDiff, Json, RunDetail } from "../api/types";
import { flatten, text } from "../format/json";

export interface ParallelAxis {
  name: string;
  result: boolean;
  low: number;
  high: number;
  words: string[] | null; // of values that are no numbers: their order
  values: (number | null)[]; // 0 (bottom) to 1, by run
  said: string[];
}

const most = 12;

function valuesOf(detail: RunDetail): Map<string, Json> {
  const found = new Map<string, Json>();
  for (const [key, value] of flatten(detail.row.tracked?.config)) found.set(`config.${key}`, value);
  for (const [key, value] of flatten(detail.row.tracked?.summary)) if (typeof value === "number") found.set(`summary.${key}`, value);
  for (const key of ["device_busy", "median_ms", "samples_per_s"] as const) {
    const value = detail.row[key];
    if (typeof value === "number") found.set(key, value);
  }
  return found;
}

function axisOf(name: string, values: (Json | undefined)[]): ParallelAxis | null {
  const known = values.filter((value) => value !== undefined && value !== null);
  if (new Set(known.map((value) => JSON.stringify(value))).size < 2) return null;
  const result = !name.startsWith("config.");
  const said = values.map((value) => text(value));
  if (known.every((value) => typeof value === "number")) {
    const low = Math.min(...(known as number[]));
    const high = Math.max(...(known as number[]));
    return { name, result, low, high, words: null, said, values: values.map((value) => (typeof value === "number" ? (value - low) / (high - low) : null)) };
  }
  const words = [...new Set(known.map((value) => text(value)))].sort();
  return { name, result, low: 0, high: 1, words, said, values: values.map((value) => (value === undefined || value === null ? null : words.indexOf(text(value)) / Math.max(1, words.length - 1))) };
}

const words = 16; // a longer value is no place on an axis

// What flatout saw of the configuration joins what the script logged of it.
function addSeen(all: Map<string, Json>[], seen: ConfigDiff): void {
  for (const { key, values } of seen.keys) {
    if (/^(command|run\.|machine\.host)/.test(key) || all.some((one) => one.has(`config.${key}`) || one.has(key))) continue;
    if (values.some((value) => text(value).length > words)) continue;
    values.forEach((value, i) => value !== null && all[i]?.set(key.startsWith("config.") ? key : `config.${key}`, value));
  }
}

export function parallelAxes(details: RunDetail[], seen: ConfigDiff = { keys: [] }): ParallelAxis[] {
  const all = details.map(valuesOf);
  addSeen(all, seen);
  const names = [...new Set(all.flatMap((one) => [...one.keys()]))];
  const axes = names.flatMap((name) => axisOf(name, all.map((one) => one.get(name))) ?? []);
  const config = axes.filter((axis) => !axis.result);
  const results = axes.filter((axis) => axis.result);
  return [...config.slice(0, most - Math.min(results.length, 5)), ...results.slice(0, 5)];
}
