// What the program wrote, beside the panels: pointing into one marks the last line before that time,
// choosing a line moves the cursor of all.
import { useSignal } from "@preact/signals";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import type { OutputLine } from "../api/types";
import { route, setQuery } from "../app/route";
import { offset } from "../format/moment";
import { bytes } from "../format/quantity";
import { followCursor, showCursor } from "../plot/cursor";
import { tick, xKind } from "../plot/view";
import { useRun } from "./context";
import { keyOf, lineAt } from "./output";
import { useOutput } from "./useOutput";

const pause = 200; // ms, after the last key or move
const nearEnd = 60; // px

function textOf(line: OutputLine): string {
  if (line.text === undefined) return `${line.left_out_lines} lines (${bytes(line.left_out_bytes ?? 0)}) of process ${line.pid} are left out until here`;
  return line.text + (line.left_out_bytes ? ` … ${bytes(line.left_out_bytes)} more` : "");
}

function Line({ line, here, several, choose }: { line: OutputLine; here: boolean; several: boolean; choose: () => void }) {
  const kind = line.text === undefined ? "gap" : `${line.stream}${line.going_on ? " going-on" : ""}`;
  return (
    <tr class={`${kind}${here ? " here" : ""}`} aria-current={here ? "true" : undefined} onClick={choose}>
      <td class="at">{offset(line.t_ns / 1e6, 10)}</td>
      {several && <td class="of">{line.pid}</td>}
      <td class="text">{line.stream === "stderr" && <span class="sr">stderr: </span>}{textOf(line)}</td>
    </tr>
  );
}

export function OutputPanel({ live }: { live: boolean }) {
  const run = useRun();
  const words = route.value.query.get("out") ?? "";
  const stream = useSignal("");
  const states = useSignal(false);
  const following = useSignal(true);
  const here = useSignal(-1); // the line that the cursor is at
  const spoken = useSignal("");
  const box = useRef<HTMLDivElement>(null);
  const timer = useRef(0);
  const output = useOutput(run.id, { contains: words, stream: stream.value, states: states.value });
  const part = output.part.value;
  const lines = part?.lines ?? [];
  const toMs = (x: number) => (xKind.peek() === "step" ? run.axis.toTime(x) : x);
  const fromMs = (ms: number) => (xKind.peek() === "step" ? run.axis.toStep(ms) : ms);

  const show = (index: number) => {
    here.value = index;
    const rows = box.current?.querySelectorAll<HTMLElement>("tbody tr");
    const row = rows?.[Math.max(0, index)];
    if (!row || !box.current) return;
    const top = row.offsetTop - box.current.scrollTop;
    if (top < 20 || top + row.offsetHeight > box.current.clientHeight) box.current.scrollTop = row.offsetTop - box.current.clientHeight / 2;
  };
  const toTime = (ms: number) => {
    following.value = false;
    const found = () => show(lineAt(output.part.peek()?.lines ?? [], ms));
    if (output.covers(ms)) found();
    else void output.around(ms).then((done) => done && requestAnimationFrame(found));
  };

  useEffect(() => void output.toEnd().then(() => (here.value = -1)), [run.id, words, stream.value, states.value]);
  useEffect(() => {
    if (live && (lines.length > 0 ? following.value : tick.value % 3 === 0)) void (lines.length > 0 ? output.later() : output.toEnd());
  }, [tick.value, live]);
  useLayoutEffect(() => {
    if (following.value && box.current) box.current.scrollTop = box.current.scrollHeight;
  }, [part]);
  const latest = useRef(toTime);
  latest.current = toTime;
  useEffect(
    () =>
      followCursor((x) => {
        const ms = x === null ? null : toMs(x); // outside of the panels the last place counts
        if (ms === null) return;
        clearTimeout(timer.current);
        if (output.covers(ms)) latest.current(ms);
        else timer.current = window.setTimeout(() => latest.current(ms), pause);
      }),
    [run.axis],
  );

  const choose = (index: number) => {
    const line = lines[index];
    if (!line) return;
    following.value = false;
    show(index);
    spoken.value = `${offset(line.t_ns / 1e6, 10)}: ${textOf(line)}`;
    const x = fromMs(line.t_ns / 1e6);
    if (x !== null) showCursor(x);
    here.value = index; // a plot stands at whole pixels, which may be a line before
  };
  const onKey = (event: KeyboardEvent) => {
    const by = { ArrowUp: -1, ArrowDown: 1, PageUp: -20, PageDown: 20, Home: -1e9, End: 1e9 }[event.key];
    if (by === undefined || lines.length === 0) return;
    event.preventDefault();
    const from = here.value < 0 ? (by < 0 ? lines.length : -1) : here.value;
    choose(Math.min(lines.length - 1, Math.max(0, from + by)));
    if (here.value === 0) void output.earlier();
    if (here.value === lines.length - 1) void output.later();
  };
  const onScroll = () => {
    const now = box.current;
    if (!now) return; // a scroll that is heard when the view has been left
    const atEnd = now.scrollHeight - now.scrollTop - now.clientHeight < nearEnd;
    if (!atEnd) following.value = false;
    if (now.scrollTop < nearEnd && part?.before != null) {
      const marked = here.value >= 0 ? keyOf(lines[here.value]!) : "";
      const height = now.scrollHeight - now.scrollTop;
      void output.earlier().then((done) => {
        if (!done) return;
        requestAnimationFrame(() => (now.scrollTop = now.scrollHeight - height));
        here.value = output.part.peek()!.lines.findIndex((line) => keyOf(line) === marked);
      });
    } else if (atEnd && part?.after != null) void output.later();
  };
  const search = (value: string) => {
    clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setQuery({ out: value || null }), pause);
  };

  const all = output.processes.value;
  if (all.length === 0 && !words) return null;
  const leftOut = all.reduce((sum, one) => sum + one.left_out_lines, 0);
  return (
    <section class="panel output" id="output" aria-label="Output of the program">
      <header>
        <h3>Output</h3>
        <label class="field">Find <input type="search" defaultValue={words} onInput={(event) => search(event.currentTarget.value)} /></label>
        <label class="field">
          <span class="sr">Stream</span>
          <select value={stream.value} onChange={(event) => (stream.value = event.currentTarget.value)}>
            <option value="">both streams</option><option value="stdout">stdout</option><option value="stderr">stderr</option>
          </select>
        </label>
        <label class="field"><input type="checkbox" checked={states.value} onChange={(event) => (states.value = event.currentTarget.checked)} /> Progress bars</label>
        <button type="button" aria-pressed={following.value} onClick={() => { following.value = true; here.value = -1; void output.toEnd(); }}>{live ? "Follow" : "End"}</button>
        {leftOut > 0 && <span class="muted">{leftOut} lines are left out</span>}
      </header>
      {output.problem.value && <p class="problem" role="alert">{output.problem}</p>}
      <div class="lines" ref={box} tabIndex={0} role="region" aria-label="Lines; up and down arrow keys choose one and move the cursor of the panels" onKeyDown={onKey} onScroll={onScroll}>
        <table>
          <caption class="sr">Lines of the program's output</caption>
          <thead class="sr"><tr><th scope="col">Time</th>{all.length > 1 && <th scope="col">Process</th>}<th scope="col">Line</th></tr></thead>
          <tbody>{lines.map((line, i) => <Line key={keyOf(line)} line={line} here={i === here.value} several={all.length > 1} choose={() => choose(i)} />)}</tbody>
        </table>
        {lines.length === 0 && <p class="muted">{!part ? "…" : part.before !== null ? <button type="button" onClick={() => void output.earlier()}>Search further back</button> : words ? "No line holds that." : "Nothing was written."}</p>}
      </div>
      <p class="spoken" aria-live="polite">{spoken}</p>
    </section>
  );
}
