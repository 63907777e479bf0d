// Where configuration and environment differ, or all of it.
import { useSignal } from "@preact/signals";
import type { ConfigDiff } from "../api/types";
import { text } from "../format/json";
import type { Loaded } from "../plot/useLoaded";

export const differs = (values: unknown[]) => new Set(values.map((value) => JSON.stringify(value ?? null))).size > 1;

export function ConfigTable({ diff, ids, names }: { diff: Loaded<ConfigDiff>; ids: string[]; names: string[] }) {
  const all = useSignal(false);
  const { data, error } = diff;
  if (error) return <p class="problem" role="alert">{error.message}</p>;
  if (!data) return <p class="muted">…</p>;
  const different = data.keys.filter((one) => differs(one.values));
  const rows = all.value ? data.keys : different;
  return (
    <>
      <p>
        {different.length === 0 ? "Nothing differs." : `${different.length} of ${data.keys.length} keys differ.`}{" "}
        {data.keys.length > different.length && <label><input type="checkbox" checked={all.value} onChange={(event) => (all.value = event.currentTarget.checked)} /> all keys</label>}
      </p>
      {rows.length > 0 && (
        <div class="table-box" tabIndex={0} role="region" aria-label="Configuration of the runs">
          <table class="pairs">
            <thead><tr><th scope="col">Key</th>{names.map((name, i) => <th scope="col" key={ids[i]}>{name}</th>)}</tr></thead>
            <tbody>{rows.map((one) => <tr key={one.key} class={differs(one.values) ? "differs" : ""}><th scope="row">{one.key}</th>{one.values.map((value, i) => <td key={i}>{text(value)}</td>)}</tr>)}</tbody>
          </table>
        </div>
      )}
    </>
  );
}
