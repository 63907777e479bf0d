// Rows of the list, a page at a time, as they come into view. A new query begins anew; after a
// change in the store what is shown is asked for again, and stays until the answer has come.
import { signal } from "@preact/signals";
import { listRuns } from "../api/runs";
import type { RunRow } from "../api/types";
import { pageRows } from "./query";

export interface ListState {
  total: number;
  matched: number;
  unread: number; // runs that the server is still reading
  error: string | null;
  loaded: boolean;
}

// What the server says of the query that is shown, such as that no run has a field of that name.
export const queryNotes = signal<string[]>([]);

export class Pages {
  readonly state = signal<ListState>({ total: 0, matched: 0, unread: 0, error: null, loaded: false });
  readonly version = signal(0); // grows when rows have come
  private pages = new Map<number, RunRow[]>();
  private stale = new Set<number>();
  private asked = new Map<number, AbortController>();
  private query: { query: string; sort: string; order: "asc" | "desc" } | null = null;

  constructor(private readonly ask: typeof listRuns = listRuns) {}

  set(query: string, sort: string, order: "asc" | "desc"): void {
    const now = this.query;
    if (now && now.query === query && now.sort === sort && now.order === order) return;
    for (const one of this.asked.values()) one.abort();
    this.asked.clear();
    this.query = { query, sort, order };
    this.stale = new Set(this.pages.keys());
    this.load(0);
  }

  row(index: number): RunRow | null {
    return this.pages.get(Math.floor(index / pageRows))?.[index % pageRows] ?? null;
  }

  *rows(): Iterable<RunRow> {
    for (const page of this.pages.values()) yield* page;
  }

  // Makes sure that these rows are there, or under way.
  need(first: number, last: number): void {
    for (let page = Math.floor(first / pageRows); page <= Math.floor(Math.max(first, last) / pageRows); ++page)
      if (!this.pages.has(page) || this.stale.has(page)) this.load(page);
  }

  refresh(first: number, last: number): void {
    for (const page of this.pages.keys()) this.stale.add(page);
    this.need(first, last);
  }

  private load(page: number): void {
    if (!this.query || this.asked.has(page)) return;
    const stop = new AbortController();
    this.asked.set(page, stop);
    this.ask({ ...this.query, offset: page * pageRows, limit: pageRows }, stop.signal).then(
      (answer) => this.take(page, stop, answer),
      (error: Error) => this.fail(page, stop, error),
    );
  }

  private take(page: number, stop: AbortController, answer: { total: number; matched: number; unread?: number; runs: RunRow[]; notes?: string[] }): void {
    if (stop.signal.aborted) return;
    this.asked.delete(page);
    this.stale.delete(page);
    if (page === 0) for (const old of this.stale) this.pages.delete(old);
    this.pages.set(page, answer.runs);
    this.state.value = { total: answer.total, matched: answer.matched, unread: answer.unread ?? 0, error: null, loaded: true };
    if (page === 0) queryNotes.value = answer.notes ?? [];
    ++this.version.value;
  }

  private fail(page: number, stop: AbortController, error: Error): void {
    if (stop.signal.aborted) return;
    this.asked.delete(page);
    this.state.value = { ...this.state.peek(), error: error.message, loaded: true };
  }
}
