// What the run is made of: configuration, environment, processes, as the store has them.
import type { Json, RunDetail, TrackedPart } from "../api/types";
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

// Processes and stages that logged into the run, each with the place of its own readings.
function LoggedBy({ tracked }: { tracked: TrackedPart[] }) {
  const rows = tracked.flatMap((run) => (run.parts ?? []).map((part) => ({ run, part })));
  if (rows.length === 0) return null;
  return (
    <details>
      <summary>Logged by <span class="muted">{rows.length}</span></summary>
      <div class="table-box" tabIndex={0} role="region" aria-label="Logged by">
        <table>
          <thead><tr><th scope="col">Run</th><th scope="col">Process</th><th scope="col">Monitoring namespace</th><th scope="col">Exit status</th></tr></thead>
          <tbody>{rows.map(({ run, part }) => (
            <tr key={`${part.pid}:${part.track}`}><th scope="row">{run.name || run.id}</th><td>{part.pid}{part.resumed ? ", resumed" : ""}</td><td>{part.namespace || "–"}</td><td>{part.exit_code ?? "–"}</td></tr>
          ))}</tbody>
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
      {detail.tracked && <LoggedBy tracked={detail.tracked} />}
      {titles.map(([key, title]) => { const value = describe[key]; return isTable(value) ? <Table key={key} title={title} values={value} /> : null; })}
      {Array.isArray(describe["processes"]) && <Processes list={describe["processes"]} />}
    </section>
  );
}
