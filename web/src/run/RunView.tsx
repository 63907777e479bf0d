// One run: the answer, then what it rests on.
import { useEffect } from "preact/hooks";
import { useKeys } from "../app/keys";
import { go } from "../app/route";
import { Lanes } from "../lanes/Lanes";
import { firstPainted, plotDrawn } from "../plot/first";
import { setXKind, xKind, zoomTo } from "../plot/view";
import { accountOf } from "./account";
import { Bar } from "./Bar";
import { Run, stepExtent, type RunContext } from "./context";
import { Details } from "./Details";
import { EventLane } from "./EventLane";
import { Findings } from "./Findings";
import { HostPanels } from "./HostPanels";
import { IdleBars } from "./IdleBars";
import { IdlePanel } from "./IdlePanel";
import { Media } from "./Media";
import { Ledger } from "./Ledger";
import { LoaderPanel } from "./LoaderPanel";
import { LoaderTimes } from "./LoaderTimes";
import { choosePanels } from "./panels";
import { OutputPanel } from "./OutputPanel";
import { RankMap } from "./RankMap";
import { RunHead } from "./RunHead";
import { RunTools } from "./RunTools";
import { StepPanels } from "./StepPanels";
import { Unavailable } from "./Unavailable";
import { useRunData } from "./useRunData";
import { ValuePanels } from "./ValuePanels";
import { Verdict } from "./Verdict";

function movePanel(by: number): void {
  const panels = [...document.querySelectorAll<HTMLElement>(".panel:not(.waiting)")];
  const at = panels.findIndex((one) => one.contains(document.activeElement));
  const next = panels[Math.min(panels.length - 1, Math.max(0, at + by))];
  const focus = next?.querySelector<HTMLElement>("[tabindex], button, summary");
  focus?.focus({ preventScroll: true });
  next?.scrollIntoView({ block: "center" });
}

function Jump({ names }: { names: [id: string, title: string][] }) {
  return (
    <nav aria-label="Parts of this run">
      {names.map(([id, title]) => (
        <button type="button" key={id} onClick={() => document.getElementById(id)?.scrollIntoView({ block: "start" })}>{title}</button>
      ))}
    </nav>
  );
}

function partsOf(run: RunContext, hasTune: boolean): [string, string][] {
  const specs = choosePanels(run.detail.series).map((one) => one.spec.section);
  const parts: ([string, string] | false)[] = [
    hasTune && ["ledger", "Ledger"],
    !!run.report?.findings.length && ["findings", "Findings"],
    !!run.axis.extent && ["steps", "Steps"],
    run.detail.series.some((one) => one.kind === "value") && ["values", "Values"],
    specs.includes("device") && ["device", "Device"],
    !!run.report?.loader && ["loader", "Loader"],
    specs.includes("host") && ["host", "Host"],
    ["details", "Details"],
  ];
  return parts.filter((part): part is [string, string] => !!part);
}

function Section({ id, title, children }: { id: string; title: string; children: preact.ComponentChildren }) {
  return <section id={id} aria-labelledby={`h-${id}`}><h2 id={`h-${id}`}>{title}</h2>{children}</section>;
}

function Below({ run, live }: { run: RunContext; live: boolean }) {
  const { detail, report } = run;
  const sections = new Set(choosePanels(detail.series).map((one) => one.spec.section));
  return (
    <>
      <Media />
      <OutputPanel live={live} />
      {sections.has("device") && <Section id="device" title="Device"><HostPanels section="device" /></Section>}
      {report?.loader && <Section id="loader" title="Loader"><LoaderPanel report={report} /><LoaderTimes /></Section>}
      {sections.has("host") && <Section id="host" title="Host"><HostPanels section="host" /></Section>}
      {report && <Unavailable report={report} />}
      <Details detail={detail} />
    </>
  );
}

// What is below the first plots, once these are on the screen. Without plots there is nothing to
// wait for.
function useBelow(on: boolean): boolean {
  useEffect(() => {
    const timer = on ? setTimeout(plotDrawn, 200) : 0;
    return () => clearTimeout(timer);
  }, [on]);
  return firstPainted.value;
}

export function RunView({ id }: { id: string }) {
  const { detail, context, tune, now, reportError } = useRunData(id);
  const below = useBelow(!!context);
  useKeys({
    z: () => zoomTo(null),
    s: () => setXKind(xKind.peek() === "step" ? "time" : "step"),
    j: () => movePanel(1),
    k: () => movePanel(-1),
    c: () => go(["runs"], { sel: id }),
  });
  if (detail.error && !detail.data) return <main class="run"><p class="problem" role="alert">{id}: {detail.error.message}</p></main>;
  if (!context) return <main class="run"><p class="muted">…</p></main>;
  const { report } = context;
  const state = now?.state ?? context.detail.row.state;
  const live = state === "running";
  const steps = !!context.axis.extent;
  return (
    <Run.Provider value={context}>
      <main class="run">
        <RunHead detail={context.detail} state={state} steps={now?.steps ?? context.detail.row.steps ?? null} />
        {report ? <Verdict report={report} /> : reportError ? <p class="problem">No report: {reportError.message}</p> : null}
        {report && <Bar title="Where the run's time went" parts={accountOf(report)} />}
        {report && <IdleBars report={report} />}
        {tune && <Ledger tune={tune} />}
        {report && <Findings report={report} />}
        <RunTools steps={!!stepExtent(context)} live={live}><Jump names={partsOf(context, !!tune)} /></RunTools>
        <EventLane />
        {steps ? <Section id="steps" title="Steps"><StepPanels />{below && <><RankMap /><Lanes /></>}</Section> : <><IdlePanel /><Lanes /></>}
        {(below || !steps) && <ValuePanels />}
        {below && <Below run={context} live={live} />}
      </main>
    </Run.Provider>
  );
}
