// Above the list: group, columns, trials.
import { setQuery } from "../app/route";
import { columnIds, group, toggleColumn, trials } from "./state";
import { fixedColumns } from "./columns";
import { groupings } from "./grouping";

function ColumnChoice({ tracked }: { tracked: string[] }) {
  const box = (id: string, title: string) => (
    <label key={id}>
      <input type="checkbox" checked={columnIds.value.includes(id)} onChange={() => toggleColumn(id)} /> {title}
    </label>
  );
  return (
    <details class="menu columns">
      <summary>Columns</summary>
      <div>
        {fixedColumns.map((column) => box(column.id, column.title))}
        {tracked.length > 0 && <hr />}
        {tracked.map((id) => box(id, id))}
      </div>
    </details>
  );
}

export function ListTools({ tracked }: { tracked: string[] }) {
  const config = tracked.filter((id) => id.startsWith("config."));
  return (
    <div class="tools">
      <label>
        Group by{" "}
        <select value={group.value} onChange={(event) => setQuery({ group: event.currentTarget.value || null })}>
          <option value="">nothing</option>
          {groupings.map((name) => <option key={name} value={name}>{name.replaceAll("_", " ")}</option>)}
          {config.map((name) => <option key={name} value={name}>{name}</option>)}
        </select>
      </label>
      <label>
        <input type="checkbox" checked={trials.value} onChange={(event) => setQuery({ trials: event.currentTarget.checked ? "1" : null })} /> Trials
      </label>
      <ColumnChoice tracked={tracked} />
    </div>
  );
}
