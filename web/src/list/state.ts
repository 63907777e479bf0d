// What the list shows, kept in the address.
import { computed } from "@preact/signals";
import { route, setQuery } from "../app/route";
import { standardColumns } from "./columns";

export const search = computed(() => route.value.query.get("q") ?? "");
export const sort = computed(() => route.value.query.get("sort") ?? "started_ms");
export const order = computed<"asc" | "desc">(() => (route.value.query.get("order") === "asc" ? "asc" : "desc"));
export const group = computed(() => route.value.query.get("group") ?? "");
export const trials = computed(() => route.value.query.get("trials") === "1");
export const columnIds = computed(() => route.value.query.get("cols")?.split(",").filter(Boolean) ?? standardColumns);
export const selected = computed(() => route.value.query.get("sel")?.split(",").filter(Boolean) ?? []);

export function sortBy(key: string): void {
  const again = sort.peek() === key;
  setQuery({ sort: key, order: again && order.peek() === "desc" ? "asc" : "desc" });
}

export function select(id: string, on: boolean): void {
  const rest = selected.peek().filter((one) => one !== id);
  setQuery({ sel: (on ? [...rest, id] : rest).join(",") || null });
}

export function toggleColumn(id: string): void {
  const now = columnIds.peek();
  setQuery({ cols: (now.includes(id) ? now.filter((one) => one !== id) : [...now, id]).join(",") || "-" });
}

// What is asked of the API: trials belong to their tune or search and stay out unless wanted.
export function fullQuery(text: string, withTrials: boolean): string {
  if (withTrials) return text;
  const rule = 'kind != "trial"';
  return text.trim() ? `(${text}) and ${rule}` : rule;
}

// Places in an answer's message are those of what the user typed.
export function ownColumns(message: string, withTrials: boolean): string {
  if (withTrials) return message;
  return message.replace(/column (\d+)/g, (_all, at: string) => `column ${Math.max(1, Number(at) - 1)}`);
}
