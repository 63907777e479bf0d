// Addresses of the API. What two places ask must be the same text in both: api/ahead.ts finds by it.
const base = "/api/v1";

// Key and value pairs to a query string; a list gives its key several times, null nothing.
export function address(path: string, query: Record<string, string | number | null | undefined | string[]> = {}): string {
  const words = new URLSearchParams();
  for (const [key, value] of Object.entries(query)) {
    if (Array.isArray(value)) for (const one of value) words.append(key, one);
    else if (value !== null && value !== undefined && value !== "") words.set(key, String(value));
  }
  const text = words.toString();
  return base + path + (text ? `?${text}` : "");
}

export const ofRun = (id: string, rest = "") => `/runs/${encodeURIComponent(id)}${rest}`;
export const runAddress = (id: string, rest = "") => address(ofRun(id, rest));

// Enough points that none of a plot's columns is without one.
export const stepAxisAddress = (id: string) => address(ofRun(id, "/step-axis"), { points: 2000 });

export interface ListQuery {
  query: string;
  sort: string;
  order: "asc" | "desc";
  offset: number;
  limit: number;
}

export const listAddress = (query: ListQuery) => address("/runs", { ...query });
