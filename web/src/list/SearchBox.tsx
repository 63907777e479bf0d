// The query, and where it is wrong.
import { useEffect, useRef } from "preact/hooks";
import { setQuery } from "../app/route";
import { queryNotes } from "./pages";
import { search } from "./state";

const pause = 180; // ms after the last key

export function errorColumn(message: string): number | null {
  const found = /column (\d+)/.exec(message);
  return found ? Number(found[1]) : null;
}

export function SearchBox({ error }: { error: string | null }) {
  const input = useRef<HTMLInputElement>(null);
  const timer = useRef(0);
  useEffect(() => {
    if (input.current && document.activeElement !== input.current) input.current.value = search.value;
  }, [search.value]);
  const put = (now: boolean) => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setQuery({ q: input.current!.value || null }), now ? 0 : pause);
  };
  const column = error ? errorColumn(error) : null;
  return (
    <div class="search">
      <input
        ref={input} id="search" type="search" spellcheck={false} autocomplete="off" defaultValue={search.value}
        placeholder='words, or  config.lr < 0.01 and state == "failed"' aria-label="Search runs"
        aria-invalid={!!error} aria-describedby={error ? "search-error" : undefined}
        onInput={() => put(false)}
        onKeyDown={(event) => event.key === "Enter" && put(true)}
      />
      {error && (
        <div class="search-error" id="search-error" role="alert">
          {column !== null && <code aria-hidden="true">{`${" ".repeat(Math.max(0, column - 1))}^`}</code>}
          <p>{error}</p>
        </div>
      )}
      {!error && queryNotes.value.map((note) => <p class="search-note" role="status" key={note}>{note}</p>)}
    </div>
  );
}
