// What a script logged beside numbers, the latest of each name first, the others by a slider.
import { useSignal } from "@preact/signals";
import { fileAddress } from "../api/runs";
import type { Json } from "../api/types";
import { bytes } from "../format/quantity";
import { offset } from "../format/moment";
import { text } from "../format/json";
import { Panel } from "../plot/Panel";
import { useRun } from "./context";
import { LoggedFiles } from "./LoggedFiles";
import { LoggedTable } from "./LoggedTable";
import { histogramFigure, mediaOf, typeOf, type Medium } from "./media";

type Fields = { [key: string]: Json };

function Shown({ value, name, run }: { value: Json; name: string; run: string }) {
  const type = typeOf(value);
  if (type === "text") return <p class="logged-text">{text(value)}</p>;
  const fields = value as Fields;
  const caption = typeof fields["caption"] === "string" ? fields["caption"] : "";
  const address = typeof fields["file"] === "string" ? fileAddress(run, fields["file"]) : null;
  if (!address) return <p class="muted">{type}</p>;
  if (type === "image") return <figure><img src={address} alt={caption || `${name}, as logged`} loading="lazy" /><figcaption>{caption}</figcaption></figure>;
  if (type === "audio") return <figure><audio controls src={address} /><figcaption>{caption}</figcaption></figure>;
  if (type === "video") return <figure><video controls src={address} /><figcaption>{caption}</figcaption></figure>;
  const ending = /\.[a-z0-9]+$/.exec(fields["file"] as string)?.[0] ?? "";
  return <p><a href={address} download={`${name.split("/").at(-1)}${ending}`}>{type}</a>{typeof fields["bytes"] === "number" ? <span class="muted"> {bytes(fields["bytes"])}</span> : null}</p>;
}

const tableFile = (value: Json) => { const file = (value as Fields)["file"]; return typeof file === "string" ? file : null; };
const sizeOf = (value: Json) => { const size = (value as Fields)["bytes"]; return typeof size === "number" ? size : null; };

function One({ medium, run }: { medium: Medium; run: string }) {
  const { name, entries } = medium;
  const back = useSignal(0); // from the latest
  const at = Math.max(0, entries.length - 1 - back.value);
  const entry = entries[at]!;
  const place = entry.step === null ? offset(entry.ms) : `step ${entry.step}`;
  const choice = entries.length > 1 && (
    <label class="choose">{place} <input type="range" min="0" max={entries.length - 1} value={at} aria-label={`Which ${name}`} aria-valuetext={place} onInput={(event) => (back.value = entries.length - 1 - Number(event.currentTarget.value))} /></label>
  );
  const table = typeOf(entry.value) === "table" ? tableFile(entry.value) : null;
  const figure = typeOf(entry.value) === "histogram" ? histogramFigure(name, entry.value as Fields) : null;
  if (figure) return <Panel id={`l.${name}`} run={run} figure={figure} extent={null} sync={null} marks={choice} />;
  return (
    <section class={`panel logged${table ? " wide" : ""}`} aria-label={name}>
      <header><h3>{name}</h3>{choice || <span class="muted">{place}</span>}</header>
      {table ? <LoggedTable key={table} run={run} name={name} file={table} size={sizeOf(entry.value)} /> : <Shown value={entry.value} name={name} run={run} />}
    </section>
  );
}

export function Media() {
  const { detail, id } = useRun();
  const parts = detail.tracked ?? [];
  const media = mediaOf(parts);
  const files = parts.flatMap((part) => part.files ?? []);
  if (media.length === 0 && files.length === 0) return null;
  return (
    <section id="media" aria-labelledby="h-media">
      <h2 id="h-media">Logged pictures, tables, texts and files</h2>
      <div class="grid">{media.map((medium) => <One key={medium.name} medium={medium} run={id} />)}</div>
      <LoggedFiles files={files} run={id} />
    </section>
  );
}
