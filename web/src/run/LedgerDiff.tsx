// A row of the ledger opened: its plan against what was kept before, and what the two runs say of
// themselves: configuration, environment, arguments.
import { getConfigDiff } from "../api/runs";
import type { Tune } from "../api/types";
import { toHash } from "../app/route";
import { differs } from "../compare/ConfigTable";
import { text } from "../format/json";
import { useLoaded } from "../plot/useLoaded";
import { ownRun, planDiff, runBefore } from "./ledger_plan";

function Recorded({ before, after }: { before: string; after: string }) {
  const { data, error } = useLoaded((stop) => getConfigDiff([before, after], stop), [before, after]);
  if (error) return <p class="muted">What the runs recorded of themselves is not there: {error.message}</p>;
  if (!data) return <p class="muted">…</p>;
  const rows = data.keys.filter((one) => differs(one.values));
  if (rows.length === 0) return <p class="muted">Both runs recorded the same configuration and environment.</p>;
  return (
    <table class="pairs">
      <caption class="sr">What {after} recorded otherwise than {before}</caption>
      <thead><tr><th scope="col">Recorded</th><th scope="col"><a href={toHash(["run", before])}>{before}</a></th><th scope="col"><a href={toHash(["run", after])}>{after}</a></th></tr></thead>
      <tbody>{rows.map((one) => <tr key={one.key}><th scope="row">{one.key}</th>{one.values.map((value, i) => <td key={i}>{text(value)}</td>)}</tr>)}</tbody>
    </table>
  );
}

const signs = { " ": "", "-": "Before: ", "+": "Tried: " };

export function LedgerDiff({ tune, trial }: { tune: Tune; trial: number }) {
  const before = runBefore(tune, trial);
  const after = ownRun(tune.trials[trial]!);
  return (
    <div class="ledger-diff">
      <div>
        <h4>Its plan, against what was kept before</h4>
        <pre>{planDiff(tune, trial).map((one, i) => <span key={i} class={one.sign === "+" ? "added" : one.sign === "-" ? "gone" : ""}><span class="sr">{signs[one.sign]}</span>{one.sign} {one.text}{"\n"}</span>)}</pre>
      </div>
      <div>
        <h4>What the runs recorded</h4>
        {before && after && before !== after ? <Recorded before={before} after={after} /> : <p class="muted">No run of this trial is stored.</p>}
      </div>
    </div>
  );
}
