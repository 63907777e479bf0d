// Panels of devices and host, as far as their readings are there.
import type { SeriesInfo } from "../api/types";
import { digits, percent } from "../format/quantity";
import { lineName } from "./names";
import { choosePanels, type PanelChoice } from "./panels";
import { SeriesPanel, type Shown } from "./SeriesPanel";
import { useRun } from "./context";

const mostLines = 24; // a node of 8 devices with two readings each; of processes the largest

function largest(series: SeriesInfo[]): SeriesInfo[] {
  if (series.length <= mostLines) return series;
  return [...series].sort((a, b) => (b.max ?? 0) - (a.max ?? 0)).slice(0, mostLines);
}

// One limit that holds for all devices is one line.
function limits(series: SeriesInfo[], thin: string[] | undefined): SeriesInfo[] {
  const seen = new Set<string>();
  return series.filter((one) => {
    if (!thin?.includes(one.name)) return true;
    const key = `${one.name} ${one.last}`;
    return !seen.has(key) && !!seen.add(key);
  });
}

function shownOf(choice: PanelChoice, all: SeriesInfo[]): Shown[] {
  const { spec } = choice;
  const series = limits(largest(choice.series), spec.thin);
  const alone = new Set(series.map((one) => one.name)).size === 1;
  const many = new Set(series.map((one) => one.label)).size > 1;
  return series.flatMap((info): Shown[] => {
    const label = lineName(info, alone, !!spec.perDevice, many);
    if (spec.id === "ladder" && info.name === "device.power") {
      const limit = all.find((one) => one.name === "device.power.limit" && one.device === info.device)?.last;
      return limit ? [{ info, label, scale: 1 / limit }] : [];
    }
    const thin = spec.thin?.includes(info.name);
    if (spec.id === "power") return [{ info, label: thin ? "limit" : (info.label ?? "power"), ...(thin ? { thin } : {}) }];
    return [{ info, label }];
  });
}

// Idles and works in turns: what the mean of a utilisation hides.
function Sawtooth({ device }: { device: number }) {
  const found = useRun().report?.devices.find((one) => one.index === device)?.utilization;
  if (found?.pattern !== "sawtooth") return null;
  const period = found.period_ms === undefined ? "" : `, period ${digits(found.period_ms)} ms`;
  const duty = found.duty === undefined ? "" : `, busy ${percent(found.duty)} of it`;
  return <span class="mark saw" title="The device works and waits in turns; the mean hides it"><svg viewBox="0 0 24 10" aria-hidden="true"><path d="M1 9V2H6V9H10V2H15V9H19V2H23V9" /></svg>sawtooth{period}{duty}</span>;
}

export function HostPanels({ section }: { section: "device" | "host" }) {
  const { detail } = useRun();
  const choices = choosePanels(detail.series).filter((choice) => choice.spec.section === section);
  if (choices.length === 0) return null;
  return (
    <div class="grid">
      {choices.map((choice) => (
        <SeriesPanel
          key={choice.id} id={choice.id} title={choice.title} series={shownOf(choice, detail.series)}
          unit={choice.spec.unit ?? choice.series[0]!.unit ?? ""} shape={choice.spec.shape ?? "lines"} fromZero
          {...(choice.spec.yTop === undefined ? {} : { yTop: choice.spec.yTop })}
          marks={choice.spec.id === "ladder" ? <Sawtooth device={choice.series[0]!.device ?? 0} /> : undefined}
        />
      ))}
    </div>
  );
}
