// What the list shows, kept in the address.
import { computed } from "@preact/signals";
import { route, setQuery } from "../app/route";
import { standardColumns } from "./columns";
import { orderOf, searchOf, sortOf, trialsOf } from "./query";

export const search = computed(() => searchOf(route.value.query));
export const sort = computed(() => sortOf(route.value.query));
export const order = computed(() => orderOf(route.value.query));
export const group = computed(() => route.value.query.get("group") ?? "");
export const trials = computed(() => trialsOf(route.value.query));
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

// Places in an answer's message are those of what the user typed.
export function ownColumns(message: string, withTrials: boolean): string {
  if (withTrials) return message;
  return message.replace(/column (\d+)/g, (_all, at: string) => `column ${Math.max(1, Number(at) - 1)}`);
}
