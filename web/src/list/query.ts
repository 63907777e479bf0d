// What the list asks of the API, from the words of its address.
import type { ListQuery } from "../api/address";

export const pageRows = 100;

export const searchOf = (words: URLSearchParams) => words.get("q") ?? "";
export const sortOf = (words: URLSearchParams) => words.get("sort") ?? "started_ms";
export const orderOf = (words: URLSearchParams): "asc" | "desc" => (words.get("order") === "asc" ? "asc" : "desc");
export const trialsOf = (words: URLSearchParams) => words.get("trials") === "1";

// Trials belong to their tune or search and stay out unless wanted.
export function fullQuery(text: string, withTrials: boolean): string {
  if (withTrials) return text;
  const rule = 'kind != "trial"';
  return text.trim() ? `(${text}) and ${rule}` : rule;
}

export const firstPage = (words: URLSearchParams): ListQuery => ({
  query: fullQuery(searchOf(words), trialsOf(words)), sort: sortOf(words), order: orderOf(words), offset: 0, limit: pageRows,
});
