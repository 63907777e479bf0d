// Pictures, texts, histograms, tables and files that a script logged, by name.
import type { Json, TrackedPart } from "../api/types";
import type { Figure } from "../plot/figure";

export interface Entry {
  step: number | null;
  ms: number;
  value: Json;
}

export interface Medium {
  name: string;
  entries: Entry[]; // as they were logged
}

export const typeOf = (value: Json): string =>
  value !== null && typeof value === "object" && !Array.isArray(value) && typeof value["_type"] === "string" ? value["_type"] : "text";

export function mediaOf(parts: TrackedPart[]): Medium[] {
  const found = new Map<string, Entry[]>();
  for (const part of parts)
    for (const row of part.rows ?? [])
      for (const [name, value] of Object.entries(row.data)) {
        const entries = found.get(name) ?? [];
        entries.push({ step: row.step ?? null, ms: row.t_ms, value });
        found.set(name, entries);
      }
  return [...found].map(([name, entries]) => ({ name, entries })).sort((a, b) => a.name.localeCompare(b.name));
}

const numbers = (value: Json | undefined) => (Array.isArray(value) && value.every((one) => typeof one === "number") ? (value as number[]) : null);

export function histogramFigure(title: string, value: { [key: string]: Json }): Figure | null {
  const edges = numbers(value["bins"]);
  const counts = numbers(value["values"]);
  if (!edges || !counts || counts.length === 0 || edges.length !== counts.length + 1) return null;
  const xs = counts.map((_count, i) => (edges[i]! + edges[i + 1]!) / 2);
  return { title, unit: "", xKind: "plain", xs, shape: "bars", lines: [{ label: "", colour: "line-0", values: counts }] };
}
