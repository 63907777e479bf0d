// Rows under headings. Groups come in the order of their first row, so that sorting holds for them too.
import type { Json, RunRow } from "../api/types";
import { flatten, text } from "../format/json";

export type Item = { head: string; count: number } | { row: RunRow };

export const groupings = ["project", "group", "job_type", "kind", "state", "host", "verdict"];

export function valueOf(row: RunRow, by: string): string {
  if (by.startsWith("config.")) return text(flatten(row.tracked?.config).get(by.slice(7)));
  if (by === "project" || by === "group" || by === "job_type") return row.tracked?.[by] || "–";
  if (by === "verdict") return row.verdict?.finding ?? "–";
  return text((row as unknown as Record<string, Json>)[by]);
}

export function grouped(rows: RunRow[], by: string, folded: ReadonlySet<string>): Item[] {
  const groups = new Map<string, RunRow[]>();
  for (const row of rows) {
    const name = valueOf(row, by);
    const group = groups.get(name);
    if (group) group.push(row);
    else groups.set(name, [row]);
  }
  const items: Item[] = [];
  for (const [head, members] of groups) {
    items.push({ head, count: members.length });
    if (!folded.has(head)) for (const row of members) items.push({ row });
  }
  return items;
}
