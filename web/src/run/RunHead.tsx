// Which run this is.
import { reportPage } from "../api/runs";
import type { RunDetail } from "../api/types";
import { toHash } from "../app/route";
import { ago, exact } from "../format/moment";
import { digits, milliseconds, seconds } from "../format/quantity";
import { StateMark } from "../list/Row";
import { Labels } from "./Labels";

// What the script said of itself: init(notes=...).
const notesOf = (run: object): string => ("notes" in run && typeof run.notes === "string" ? run.notes : "");

export function RunHead({ detail, state, steps }: { detail: RunDetail; state: string; steps: number | null }) {
  const { row } = detail;
  const facts: string[] = [];
  if (row.started_ms) facts.push(ago(row.started_ms, Date.now()));
  if (row.duration_s && state !== "running") facts.push(`took ${seconds(row.duration_s)}`);
  if (steps) facts.push(`${digits(steps)} steps`);
  if (row.median_ms) facts.push(`${milliseconds(row.median_ms)} a step`);
  if (row.samples_per_s) facts.push(`${digits(row.samples_per_s)} samples/s`);
  if (row.host) facts.push(`on ${row.host}`);
  if (row.tracked?.project) facts.push(`project ${row.tracked.project}`);
  if (row.tracked?.group) facts.push(`group ${row.tracked.group}`);
  const notes = [...new Set((detail.tracked ?? []).map(notesOf).filter(Boolean))];
  return (
    <header class="run-head">
      <p class="where"><a href={toHash(["runs"])}>Runs</a> / {row.parent && <><a href={toHash(["run", row.parent])}>{row.parent}</a> / </>}{row.id}</p>
      <h1><StateMark state={state} />{row.name || row.tracked?.name || row.id}<span class={`state-word state-word-${state}`}>{state}</span></h1>
      <p class="muted" title={row.started_ms ? exact(row.started_ms) : ""}>{facts.join(" · ")}</p>
      {!!row.tracked?.tags?.length && <p>{row.tracked.tags.map((tag) => <span class="tag" key={tag}>{tag}</span>)}</p>}
      {notes.map((text) => <p class="notes" key={text}>{text}</p>)}
      {row.command && <p class="command"><code>{row.command}</code></p>}
      <div class="head-tools">
        <Labels row={row} noted={notes.length > 0} />
        <a href={reportPage(row.id)} target="_blank" rel="noopener">Report as one page</a>
      </div>
    </header>
  );
}
