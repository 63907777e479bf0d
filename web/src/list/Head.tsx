// The headings: a click sorts, once more the other way round.
import type { Column } from "./columns";
import { order, sort, sortBy } from "./state";

function Heading({ id, title, number }: { id: string; title: string; number?: boolean }) {
  const active = sort.value === id;
  const direction = order.value === "asc" ? "ascending" : "descending";
  return (
    <span role="columnheader" aria-sort={active ? direction : "none"} class={number ? "number" : "text"}>
      <button type="button" title={id} onClick={() => sortBy(id)}>
        {title}
        <span aria-hidden="true" class="arrow">{active ? (order.value === "asc" ? "↑" : "↓") : ""}</span>
      </button>
    </span>
  );
}

export function Head({ columns }: { columns: Column[] }) {
  return (
    <div class="row head" role="row" aria-rowindex={1}>
      <span role="columnheader" class="pick"><span class="sr">Selected</span></span>
      <Heading id="name" title="Run" />
      {columns.map((column) => <Heading key={column.id} {...column} />)}
    </div>
  );
}
