// Why devices idle: a bar for each, as long as its idle time, with one legend.
import type { Report } from "../api/types";
import { percent } from "../format/quantity";
import { idleOf, type IdleAccount } from "./account";

function One({ account }: { account: IdleAccount }) {
  let x = 0;
  return (
    <div class="idle-row">
      <span>GPU {account.device}</span>
      <svg viewBox="0 0 1000 16" preserveAspectRatio="none" role="img" aria-label={`GPU ${account.device} idles ${percent(account.idle)}: ${account.parts.map((part) => `${part.name} ${part.text}`).join(", ")}`}>
        <rect width="1000" height="16" class="ground" />
        {account.parts.map((part) => {
          const begin = x;
          x += part.value * 1000;
          return <rect key={part.name} x={begin} width={Math.max(0, part.value * 1000 - 1)} height="16" class={`fill-${part.colour}`}><title>{`${part.name}: ${part.text}`}</title></rect>;
        })}
      </svg>
      <b>{percent(account.idle)}</b>
    </div>
  );
}

// Name, colour, and the mean over the devices.
function legendOf(all: IdleAccount[]): { name: string; colour: string; text: string }[] {
  const sums = new Map<string, { colour: string; value: number }>();
  for (const { parts } of all)
    for (const part of parts) sums.set(part.name, { colour: part.colour, value: (sums.get(part.name)?.value ?? 0) + part.value });
  return [...sums].map(([name, { colour, value }]) => ({ name, colour, text: percent(value / all.length) }));
}

export function IdleBars({ report }: { report: Report }) {
  const all = idleOf(report);
  if (all.length === 0) return null;
  return (
    <figure class="bar-figure idle">
      <figcaption><h3>Why {all.length > 1 ? "the devices idle" : "the device idles"}</h3><span class="muted">share of what was traced; the full width is all of it</span></figcaption>
      {all.map((account) => <One key={account.device} account={account} />)}
      <ul>
        {legendOf(all).map((one) => (
          <li key={one.name}><svg viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" rx="2" class={`fill-${one.colour}`} /></svg>{one.name} <b>{one.text}</b></li>
        ))}
      </ul>
    </figure>
  );
}
