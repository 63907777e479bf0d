// What the run is made of: configuration, environment, processes, as the store has them.
import type { Json, RunDetail } from "../api/types";
import { flatten, text } from "../format/json";

function Table({ title, values }: { title: string; values: { [key: string]: Json } }) {
  const rows = [...flatten(values)].filter(([, value]) => value !== null && text(value) !== "");
  if (rows.length === 0) return null;
  return (
    <details>
      <summary>{title} <span class="muted">{rows.length}</span></summary>
      <div class="table-box" tabIndex={0} role="region" aria-label={title}>
        <table class="pairs"><tbody>{rows.map(([key, value]) => <tr key={key}><th scope="row">{key}</th><td>{text(value)}</td></tr>)}</tbody></table>
      </div>
    </details>
  );
}

const isTable = (value: Json | undefined): value is { [key: string]: Json } => !!value && typeof value === "object" && !Array.isArray(value);

function Processes({ list }: { list: Json[] }) {
  const rows = list.filter(isTable);
  const keys = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  if (rows.length === 0) return null;
  return (
    <details>
      <summary>Processes <span class="muted">{rows.length}</span></summary>
      <div class="table-box" tabIndex={0} role="region" aria-label="Processes">
        <table>
          <thead><tr>{keys.map((key) => <th scope="col" key={key}>{key.replaceAll("_", " ")}</th>)}</tr></thead>
          <tbody>{rows.map((row, i) => <tr key={i}>{keys.map((key) => <td key={key}>{text(row[key])}</td>)}</tr>)}</tbody>
        </table>
      </div>
    </details>
  );
}

export function Details({ detail }: { detail: RunDetail }) {
  const { describe = {}, row } = detail;
  const titles: [string, string][] = [["config", "Configuration, as flatout saw it"], ["environment", "Environment"], ["counts", "Counts"], ["places", "Where in the code"]];
  return (
    <section aria-labelledby="h-details" id="details" class="details">
      <h2 id="h-details">Details</h2>
      {row.tracked?.config && <Table title="Logged configuration" values={row.tracked.config} />}
      {row.tracked?.summary && <Table title="Logged summary" values={row.tracked.summary} />}
      {titles.map(([key, title]) => { const value = describe[key]; return isTable(value) ? <Table key={key} title={title} values={value} /> : null; })}
      {Array.isArray(describe["processes"]) && <Processes list={describe["processes"]} />}
    </section>
  );
}
