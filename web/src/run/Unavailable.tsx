// What cannot be shown, and why: a reading that a driver does not give, a phase that cannot be told.
import type { Report } from "../api/types";
import { spoken } from "./names";

export function missing(report: Report): [string, string][] {
  const found: [string, string][] = Object.entries(report.steps?.phases_unavailable ?? {}).map(([phase, why]) => [spoken(phase), String(why)]);
  for (const device of report.devices)
    for (const [what, why] of Object.entries(device.unavailable ?? {})) found.push([`GPU ${device.index} ${what}`, String(why)]);
  if (report.run.hooks_off) found.push(["inside the program", report.run.hooks_off]);
  return found;
}

export function Unavailable({ report }: { report: Report }) {
  const all = missing(report);
  const notes = report.notes ?? [];
  if (all.length === 0 && notes.length === 0) return null;
  return (
    <section aria-labelledby="h-missing" class="missing">
      <h2 id="h-missing">Good to know</h2>
      <ul>
        {notes.map((note) => <li key={note}>{note}</li>)}
        {all.map(([what, why]) => <li key={what}><b>{what}</b> unavailable: {why}</li>)}
      </ul>
    </section>
  );
}
