// What a script logged beside numbers, the latest of each name first, the others by a slider.
import { useSignal } from "@preact/signals";
import { fileAddress } from "../api/runs";
import type { Json } from "../api/types";
import { bytes } from "../format/quantity";
import { offset } from "../format/moment";
import { text } from "../format/json";
import { Panel } from "../plot/Panel";
import { useRun } from "./context";
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
  const columns = Array.isArray(fields["columns"]) ? `: ${fields["columns"].join(", ")}` : "";
  return <p><a href={address} download>{type}{columns}</a> {typeof fields["rows"] === "number" ? `${fields["rows"]} rows` : ""}</p>;
}

function One({ medium, run }: { medium: Medium; run: string }) {
  const { name, entries } = medium;
  const back = useSignal(0); // from the latest
  const at = Math.max(0, entries.length - 1 - back.value);
  const entry = entries[at]!;
  const place = entry.step === null ? offset(entry.ms) : `step ${entry.step}`;
  const choice = entries.length > 1 && (
    <label class="choose">{place} <input type="range" min="0" max={entries.length - 1} value={at} aria-label={`Which ${name}`} aria-valuetext={place} onInput={(event) => (back.value = entries.length - 1 - Number(event.currentTarget.value))} /></label>
  );
  const figure = typeOf(entry.value) === "histogram" ? histogramFigure(name, entry.value as Fields) : null;
  if (figure) return <Panel id={`l.${name}`} run={run} figure={figure} extent={null} sync={null} marks={choice} />;
  return (
    <section class="panel logged" aria-label={name}>
      <header><h3>{name}</h3>{choice || <span class="muted">{place}</span>}</header>
      <Shown value={entry.value} name={name} run={run} />
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
      <h2 id="h-media">Logged pictures, texts and files</h2>
      <div class="grid">{media.map((medium) => <One key={medium.name} medium={medium} run={id} />)}</div>
      {files.length > 0 && <ul class="files">{files.map((file, i) => <li key={i}><a href={fileAddress(id, file.file)} download={file.path.split("/").at(-1)}>{file.path}</a> <span class="muted">{file.kind}{file.bytes == null ? "" : `, ${bytes(file.bytes)}`}</span></li>)}</ul>}
    </section>
  );
}
