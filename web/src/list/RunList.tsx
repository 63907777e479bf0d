// All runs: searched, sorted, grouped; only the rows in the window are in the page.
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { listenToRuns } from "../api/live";
import { listRuns } from "../api/runs";
import type { RunRow } from "../api/types";
import { useKeys } from "../app/keys";
import { go } from "../app/route";
import { useLoaded } from "../plot/useLoaded";
import { columnOf, trackedColumns } from "./columns";
import { grouped, type Item } from "./grouping";
import { Head } from "./Head";
import { ListTools } from "./ListTools";
import { Pages, type ListState } from "./pages";
import { fullQuery } from "./query";
import { Row } from "./Row";
import { SearchBox } from "./SearchBox";
import { Selection } from "./Selection";
import { columnIds, group, order, ownColumns, search, select, selected, sort, trials } from "./state";
import { rowsInView } from "./window";

const most = 5000; // of grouped runs: the API gives no more at once
const narrow = "(max-width: 700px)";

export function RunList() {
  const pages = useMemo(() => new Pages(), []);
  const box = useRef<HTMLDivElement>(null);
  const view = useSignal({ scroll: 0, height: 800, rowHeight: 40 });
  const current = useSignal(-1);
  const folded = useSignal<ReadonlySet<string>>(new Set());
  const changes = useSignal(0);
  const query = fullQuery(search.value, trials.value);
  const by = group.value;

  useEffect(() => pages.set(query, sort.value, order.value), [query, sort.value, order.value]);
  const all = useLoaded(
    (stop) => listRuns({ query, sort: sort.value, order: order.value, offset: 0, limit: most }, stop),
    [query, sort.value, order.value, by, changes.value], by !== "",
  );

  void pages.version.value;
  const state = pages.state.value;
  const items: Item[] | null = by && all.data ? grouped(all.data.runs, by, folded.value) : null;
  const count = items ? items.length : state.matched;
  const { first, last } = rowsInView(view.value.scroll, view.value.height, view.value.rowHeight, count);
  useEffect(() => {
    if (!by && state.loaded && !state.error) pages.need(first, last);
  });

  useLayoutEffect(() => {
    const media = matchMedia(narrow);
    const look = () => (view.value = {
      scroll: Math.max(0, -box.current!.getBoundingClientRect().top),
      height: innerHeight, rowHeight: media.matches ? 64 : 40,
    });
    look();
    addEventListener("scroll", look, { passive: true });
    addEventListener("resize", look);
    return () => (removeEventListener("scroll", look), removeEventListener("resize", look));
  }, []);

  const inView = useRef({ first, last });
  inView.current = { first, last };
  useEffect(() => {
    let timer = 0;
    const stop = listenToRuns(() => {
      clearTimeout(timer);
      timer = window.setTimeout(() => {
        pages.refresh(inView.current.first, inView.current.last);
        ++changes.value;
      }, 300);
    });
    return () => (clearTimeout(timer), stop());
  }, []);

  const rowAt = (index: number): RunRow | null => {
    if (!items) return pages.row(index);
    const item = items[index];
    return item && "row" in item ? item.row : null;
  };
  const step = (by: number) => {
    let next = current.peek() + by;
    while (items && next >= 0 && next < count && !rowAt(next)) next += by;
    if (next < 0 || next >= count) return;
    current.value = next;
    const top = box.current!.offsetTop + next * view.peek().rowHeight;
    if (top < scrollY + 120 || top > scrollY + innerHeight - 120) scrollTo(0, top - innerHeight / 2);
  };
  const withRow = (act: (row: RunRow) => void) => () => {
    const row = rowAt(current.peek());
    if (row) act(row);
  };
  useKeys({
    "/": () => document.getElementById("search")?.focus(),
    j: () => step(1),
    k: () => step(-1),
    x: withRow((row) => select(row.id, !selected.peek().includes(row.id))),
    Enter: withRow((row) => go(["run", row.id])),
    c: () => selected.peek().length > 1 && go(["compare"], { ids: selected.peek().join(",") }),
  });

  const columns = columnIds.value.flatMap((id) => columnOf(id) ?? []);
  const template = ["28px", "minmax(200px, 1.6fr)", ...columns.map((column) => column.width)].join(" ");
  const tracked = trackedColumns(by && all.data ? all.data.runs : pages.rows());
  const shown = [];
  for (let i = first; i <= last; ++i) {
    const item = items?.[i];
    const top = i * view.value.rowHeight;
    if (item && "head" in item) {
      const open = !folded.value.has(item.head);
      const fold = () => {
        const next = new Set(folded.peek());
        if (!next.delete(item.head)) next.add(item.head);
        folded.value = next;
      };
      shown.push(
        <div class="row group" role="row" key={`g${item.head}`} style={{ transform: `translateY(${top}px)` }}>
          <span role="cell"><button type="button" aria-expanded={open} onClick={fold}>{open ? "▾" : "▸"} {item.head} <span class="muted">{item.count}</span></button></span>
        </div>,
      );
    } else shown.push(<Row key={rowAt(i)?.id ?? `w${i}`} row={rowAt(i)} index={i} top={top} columns={columns} current={i === current.value} />);
  }

  const problem = state.error ?? (by ? (all.error?.message ?? null) : null);
  // What was added to the query would stand in the message: the server is asked about the user's words alone.
  const own = useLoaded<string | null>(
    (stop) => listRuns({ query: search.value, sort: "", order: "desc", offset: 0, limit: 1 }, stop).then(() => null, (error: Error) => error.message),
    [problem, search.value], problem !== null && query !== search.value,
  );
  return (
    <main class="list">
      <h1 class="sr">Runs</h1>
      <div class="bar">
        <SearchBox error={problem && (own.data ?? ownColumns(problem, trials.value))} />
        <ListTools tracked={tracked} />
        <p class="count muted" aria-live="polite">{state.loaded ? counted(state) : "…"}</p>
      </div>
      {state.loaded && !state.error && count === 0 && state.unread === 0 ? <Nothing total={state.total} /> : (
        <div class="rows" role="table" aria-label="Runs" aria-rowcount={count + 1} style={{ "--columns": template } as never}>
          <div role="rowgroup" class="heads"><Head columns={columns} /></div>
          <div role="rowgroup" class="space" ref={box} style={{ height: `${count * view.value.rowHeight}px` }}>{shown}</div>
        </div>
      )}
      <Selection />
    </main>
  );
}

function counted({ total, matched, unread }: ListState): string {
  const runs = matched === total ? `${total} runs` : `${matched} of ${total} runs`;
  return unread > 0 ? `${runs}; ${unread} more are being read` : runs;
}

function Nothing({ total }: { total: number }) {
  return total > 0
    ? <p class="nothing">No run matches. Take words away, or look among the trials.</p>
    : <p class="nothing">No runs are stored yet. <code>flatout run -- python train.py</code> records one; it appears here while it runs.</p>;
}
