// Where the page is: "#/run/k3q9?x=step&from=10&to=90". All that one may want to come back to, or
// to send to somebody, stands there; nothing else is kept.
import { computed, signal } from "@preact/signals";
import { parseHash, toHash, type Route } from "./hash";

export { toHash };

const here = () => (typeof location === "undefined" ? "" : location.hash);
export const route = signal<Route>(parseHash(here()));
export const place = computed(() => route.value.path.join("/"));

export function startRouting(): void {
  addEventListener("hashchange", () => (route.value = parseHash(here())));
  addEventListener("popstate", () => (route.value = parseHash(here())));
}

export function go(path: string[], query: URLSearchParams | Record<string, string> = {}): void {
  history.pushState(null, "", toHash(path, query));
  route.value = parseHash(here());
  scrollTo(0, 0);
}

// Changes some words of the query; null takes one away, a list gives a word several times. `step`
// leaves a step in the browser's history, so that Back undoes it.
export function setQuery(change: Record<string, string | string[] | null>, step = false): void {
  const { path, query } = route.peek();
  const next = new URLSearchParams(query);
  for (const [key, value] of Object.entries(change)) {
    next.delete(key);
    if (Array.isArray(value)) for (const one of value) next.append(key, one);
    else if (value !== null && value !== "") next.set(key, value);
  }
  if (next.toString() === query.toString()) return;
  const hash = toHash(path, next);
  if (step) history.pushState(null, "", hash);
  else history.replaceState(null, "", hash);
  route.value = { path, query: next };
}
