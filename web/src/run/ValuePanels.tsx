// What the program logged: a panel for each name, a line for each process or rank; names that begin
// alike stand together.
import { useSignal } from "@preact/signals";
import type { SeriesInfo } from "../api/types";
import { useRun } from "./context";
import { SeriesPanel } from "./SeriesPanel";

export interface ValueGroup {
  name: string;
  panels: { name: string; series: SeriesInfo[] }[];
}

export function valueGroups(all: SeriesInfo[], filter: string): ValueGroup[] {
  const byName = new Map<string, SeriesInfo[]>();
  for (const one of all) if (one.kind === "value" && one.count > 0) byName.set(one.name, [...(byName.get(one.name) ?? []), one]);
  const groups = new Map<string, ValueGroup["panels"]>();
  for (const name of [...byName.keys()].sort()) {
    if (!matches(name, filter)) continue;
    const group = name.includes("/") ? name.slice(0, name.indexOf("/")) : name.startsWith("flatout.") ? "flatout" : "";
    groups.set(group, [...(groups.get(group) ?? []), { name, series: byName.get(name)! }]);
  }
  return [...groups].map(([name, panels]) => ({ name, panels }));
}

// A regular expression; where it is none (yet), plain text.
export function matches(name: string, filter: string): boolean {
  if (!filter) return true;
  try {
    return new RegExp(filter, "i").test(name);
  } catch {
    return name.toLowerCase().includes(filter.toLowerCase());
  }
}

export function ValuePanels() {
  const { detail } = useRun();
  const filter = useSignal("");
  const groups = valueGroups(detail.series, filter.value);
  const total = valueGroups(detail.series, "").reduce((sum, group) => sum + group.panels.length, 0);
  if (total === 0) return null;
  return (
    <section id="values" aria-labelledby="h-values">
      <div class="section-head">
        <h2 id="h-values">Logged values</h2>
        {total > 6 && <input type="search" placeholder="filter, e.g. ^train/" aria-label="Filter logged values" onInput={(event) => (filter.value = event.currentTarget.value)} />}
      </div>
      {groups.map((group) => (
        <div key={group.name}>
          {groups.length > 1 && <h3 class="group">{group.name || "others"}</h3>}
          <div class="grid">
            {group.panels.map(({ name, series }) => (
              <SeriesPanel
                key={name} id={`v.${name}`} title={name.replace(/^flatout\./, "")} unit={series[0]!.unit ?? ""}
                series={series.map((info) => ({ info, label: series.length > 1 ? (info.label ?? `pid ${info.pid}`) : "" }))}
              />
            ))}
          </div>
        </div>
      ))}
    </section>
  );
}
