// A table that a script logged: its file is read when one comes to it, a page of it is shown.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { ask } from "../api/http";
import { fileAddress } from "../api/runs";
import type { Json } from "../api/types";
import { text } from "../format/json";
import { bytes } from "../format/quantity";
import { cell } from "../plot/csv";
import { PagedTable } from "../plot/PagedTable";
import { fileName, keep } from "../plot/save";
import { useInView, useLoaded } from "../plot/useLoaded";

const unaskedBytes = 2_000_000; // a larger one is read when somebody says so

export interface LoggedRows {
  columns: string[];
  data: Json[][];
}

// What lies in the file, however it came there: other shapes are no table.
export function readTable(json: unknown): LoggedRows | null {
  const { columns, data } = (json ?? {}) as { columns?: unknown; data?: unknown };
  if (!Array.isArray(columns) || !Array.isArray(data)) return null;
  return { columns: columns.map((one) => (typeof one === "string" ? one : text(one as Json))), data: data.filter(Array.isArray) as Json[][] };
}

const plain = (value: Json | undefined): string => (value === undefined || value === null ? "" : typeof value === "string" ? value : JSON.stringify(value));

export function tableCsv({ columns, data }: LoggedRows): string {
  const rows = [columns, ...data.map((row) => columns.map((_name, i) => plain(row[i])))];
  return `${rows.map((row) => row.map(cell).join(",")).join("\r\n")}\r\n`;
}

function Cell({ value, run }: { value: Json | undefined; run: string }): ComponentChildren {
  if (value === null || value === undefined) return <span class="muted">–</span>;
  if (typeof value !== "object" || Array.isArray(value)) return text(value);
  const file = typeof value["file"] === "string" ? value["file"] : null;
  if (!file) return text(value);
  if (value["_type"] === "image") return <img class="thumb" src={fileAddress(run, file)} alt={typeof value["caption"] === "string" ? value["caption"] : "as logged"} loading="lazy" />;
  return <a href={fileAddress(run, file)} download>{text(value["_type"] ?? "file")}</a>;
}

export function LoggedTable({ run, name, file, size }: { run: string; name: string; file: string; size: number | null }) {
  const [box, seen] = useInView<HTMLDivElement>();
  const wanted = useSignal(size === null || size <= unaskedBytes);
  const { data, error } = useLoaded(async (stop) => readTable(await (await ask(fileAddress(run, file), { signal: stop })).json()), [file], seen && wanted.value);
  const original = <a href={fileAddress(run, file)} download={`${name}.json`}>JSON{size === null ? "" : `, ${bytes(size)}`}</a>;
  return (
    <div class="logged-table" ref={box}>
      {!wanted.value && <p><button type="button" onClick={() => (wanted.value = true)}>Show the table</button> {original}</p>}
      {error && <p class="problem" role="alert">{error.message}</p>}
      {wanted.value && !error && !data && seen && <p class="muted">…</p>}
      {data && (
        <>
          <PagedTable label={`Table ${name}`} columns={data.columns} count={data.data.length} rowsAPage={20} row={(at) => data.columns.map((_column, i) => <Cell value={data.data[at]![i]} run={run} />)} />
          <p class="muted">{data.data.length} rows · <button type="button" onClick={() => keep(new Blob([tableCsv(data)], { type: "text/csv" }), fileName(name, run, "csv"))}>CSV</button> {original}</p>
        </>
      )}
    </div>
  );
}
