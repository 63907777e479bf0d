// A table of which a page is shown at a time: what was logged or drawn may have a million rows.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";

export interface PagedTableProps {
  label: string;
  columns: string[];
  count: number;
  row(at: number): ComponentChildren[]; // cells of a row
  rowsAPage?: number;
}

const pageCount = (count: number, rows: number) => Math.max(1, Math.ceil(count / rows));

export function PagedTable({ label, columns, count, row, rowsAPage = 50 }: PagedTableProps) {
  const page = useSignal(0);
  const pages = pageCount(count, rowsAPage);
  const at = Math.min(page.value, pages - 1);
  const first = at * rowsAPage;
  const shown = Array.from({ length: Math.min(rowsAPage, count - first) }, (_, i) => first + i);
  const turn = (by: number) => (page.value = Math.min(pages - 1, Math.max(0, at + by)));
  return (
    <div class="paged">
      <div class="table-box" tabIndex={0} role="region" aria-label={label}>
        <table>
          <thead><tr>{columns.map((name, i) => <th scope="col" key={i}>{name}</th>)}</tr></thead>
          <tbody>{shown.map((i) => <tr key={i}>{row(i).map((cell, k) => (k === 0 ? <th scope="row" key={k}>{cell}</th> : <td key={k}>{cell}</td>))}</tr>)}</tbody>
        </table>
      </div>
      {pages > 1 && (
        <p class="pages">
          <button type="button" disabled={at === 0} onClick={() => turn(-1)} aria-label={`Earlier rows of ${label}`}>‹</button>
          <span aria-live="polite">{first + 1} to {first + shown.length} of {count}</span>
          <button type="button" disabled={at === pages - 1} onClick={() => turn(1)} aria-label={`Later rows of ${label}`}>›</button>
        </p>
      )}
    </div>
  );
}
