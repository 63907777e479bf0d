// One run in the list.
import type { RunRow } from "../api/types";
import { toHash } from "../app/route";
import type { Column } from "./columns";
import { select, selected } from "./state";

export function StateMark({ state }: { state: string }) {
  return <span class={`state state-${state}`} title={state}><span class="sr">{state}</span></span>;
}

// As `flatout ls` names it.
function whole(row: RunRow): string {
  if (row.trials === undefined) return "";
  return `${row.kind}, ${row.trials + 1} ${row.trials ? "runs" : "run"}: `;
}

interface RowProps {
  row: RunRow | null;
  index: number;
  top: number;
  columns: Column[];
  current: boolean;
}

export function Row({ row, index, top, columns, current }: RowProps) {
  const style = { transform: `translateY(${top}px)` };
  if (!row) return <div class="row waiting" role="row" aria-rowindex={index + 2} style={style}><span role="cell" class="muted">…</span></div>;
  const chosen = selected.value.includes(row.id);
  const title = row.name || row.tracked?.name || row.id;
  return (
    <div class={`row${chosen ? " chosen" : ""}${current ? " current" : ""}`} role="row" aria-rowindex={index + 2} style={style}>
      <span role="cell" class="pick">
        <input type="checkbox" checked={chosen} aria-label={`Select ${title}`} onChange={(event) => select(row.id, event.currentTarget.checked)} />
      </span>
      <span role="cell" class="name">
        <StateMark state={row.state} />
        <a href={toHash(["run", row.id])} title={row.command ?? ""}>{title}</a>
        {title !== row.id && <span class="id">{row.id}</span>}
        <span class="command">{whole(row)}{row.command}</span>
      </span>
      {columns.map((column) => (
        <span role="cell" key={column.id} class={column.number ? "number" : "text"} data-title={column.title}>{column.show(row)}</span>
      ))}
    </div>
  );
}
