// What happened, along the same axis as the panels: a mark each, the last ones as a list.
import { plotLeft, plotRight } from "../plot/canvas";
import type { RunEvent } from "../api/types";
import { offset } from "../format/moment";
import { xKind, zoomTo } from "../plot/view";
import { extentOf, useRun, type RunContext } from "./context";
import { eventColour, placeOf } from "./marks";

const listed = 12;

const shapes: Record<string, string> = { checkpoint: "M-4-4H4V4H-4Z", eval: "M0-5L5 4H-5Z", alert: "M0-6L6 0L0 6L-6 0Z", problem: "M0-6L6 0L0 6L-6 0Z" };

function Mark({ event, share }: { event: RunEvent; share: number }) {
  return (
    <svg class="mark-at" viewBox="-7 -7 14 14" style={{ left: `${share * 100}%` }} aria-hidden="true">
      <title>{event.title}</title>
      <path d={shapes[event.kind] ?? "M-4 0A4 4 0 1 0 4 0A4 4 0 1 0-4 0Z"} class={`fill-${eventColour(event)}`} />
    </svg>
  );
}

function zoomAround(event: RunEvent, run: RunContext): void {
  const steps = xKind.peek() === "step";
  const at = placeOf(event, steps, run.axis);
  const whole = steps ? run.axis.extent : ([0, run.endMs] as const);
  if (at === null || !whole) return;
  const half = (whole[1] - whole[0]) * 0.05;
  zoomTo([Math.max(whole[0], at - half), Math.min(whole[1], at + half)]);
}

export function EventLane() {
  const run = useRun();
  const events = run.events.filter((event) => event.kind !== "start" && event.kind !== "end");
  if (events.length === 0) return null;
  const [from, to] = extentOf(run);
  const steps = xKind.value === "step";
  const shown = events.flatMap((event) => {
    const at = placeOf(event, steps, run.axis);
    return at === null || at < from || at > to ? [] : [{ event, share: (at - from) / (to - from) }];
  });
  const serious = shown.filter(({ event }) => event.kind === "alert" || event.kind === "problem");
  const rest = (serious.length > 0 ? serious : shown).slice(-listed).reverse();
  return (
    <section class="panel lane" id="panel-events" aria-label="Events">
      <header><h3>Events</h3><span class="muted">{shown.length === events.length ? events.length : `${shown.length} of ${events.length}`}</span></header>
      <div class="lane-line"><div class="lane-inner" style={{ marginLeft: `${plotLeft}px`, marginRight: `${plotRight}px` }}>{shown.slice(0, 500).map(({ event, share }, i) => <Mark key={i} event={event} share={share} />)}</div></div>
      <ul class="events">
        {rest.map(({ event }, i) => (
          <li key={i}>
            <button type="button" onClick={() => zoomAround(event, run)}>{event.step != null && steps ? `step ${event.step}` : offset(event.t_ms)}</button>
            <span class={`kind kind-${event.kind}`}>{event.kind}</span> {event.title}{event.text && event.text !== event.title ? <span class="muted"> {event.text}</span> : null}
          </li>
        ))}
      </ul>
    </section>
  );
}
