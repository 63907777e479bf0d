// The keys, behind "?".
import { useEffect, useRef } from "preact/hooks";

const keys = [
  ["/", "search"],
  ["j k", "next and previous run; in a run, next and previous panel"],
  ["Enter", "open the run"],
  ["x", "select the run"],
  ["c", "compare what is selected"],
  ["z", "zoom out to the whole run"],
  ["s", "steps or time along the axis"],
  ["← →", "move the cursor of the panel that has the focus"],
  ["?", "this list"],
] as const;

const mouse = [
  ["drag", "zoom in: what lies there is asked for again at full resolution"],
  ["double click", "the whole run again"],
  ["click on a line's name", "that line alone"],
  ["Shift-click", "that line on or off"],
] as const;

const queries = [
  ["resnet lr", "runs that hold both words in their name, command, project or tags"],
  ["config.lr < 0.01 and summary.loss <= 0.3", "values that a script logged"],
  ['state == "failed" or tag("night")', "also: not, parentheses, in, contains"],
  ["device_busy < 0.5 and steps > 100", "what flatout measured"],
] as const;

function List({ title, rows, code }: { title: string; rows: readonly (readonly [string, string])[]; code?: boolean }) {
  return (
    <>
      <h3>{title}</h3>
      <dl class={code ? "queries" : ""}>{rows.map(([name, text]) => <div key={name}><dt>{code ? <code>{name}</code> : <kbd>{name}</kbd>}</dt><dd>{text}</dd></div>)}</dl>
    </>
  );
}

export function Help({ open, close }: { open: boolean; close(): void }) {
  const box = useRef<HTMLDialogElement>(null);
  useEffect(() => {
    if (open && !box.current!.open) box.current!.showModal();
    if (!open && box.current!.open) box.current!.close();
  }, [open]);
  return (
    <dialog ref={box} onClose={close} aria-label="Keys and queries">
      <form method="dialog"><h2>Keys and queries</h2><button aria-label="Close">×</button></form>
      <List title="Keys" rows={keys} />
      <List title="Mouse" rows={mouse} />
      <List title="Queries" rows={queries} code />
    </dialog>
  );
}
