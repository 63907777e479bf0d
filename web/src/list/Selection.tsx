// What is selected, and what one can do with it.
import { go, setQuery } from "../app/route";
import { selected } from "./state";

export function Selection() {
  const ids = selected.value;
  if (ids.length === 0) return null;
  return (
    <div class="selection" role="region" aria-label="Selected runs">
      <span>{ids.length} selected: {ids.slice(0, 6).join(", ")}{ids.length > 6 ? " …" : ""}</span>
      <button type="button" class="primary" disabled={ids.length < 2} onClick={() => go(["compare"], { ids: ids.join(",") })}>Compare</button>
      <button type="button" onClick={() => setQuery({ sel: null })}>Clear</button>
    </div>
  );
}
