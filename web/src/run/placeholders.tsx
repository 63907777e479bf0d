// What stands where a panel is not there yet, or cannot be.
export function Waiting({ title, text }: { title: string; text?: string }) {
  return <section class="panel waiting" aria-label={title}><header><h3>{title}</h3></header><p class="muted">{text ?? "…"}</p></section>;
}

export function Failure({ title, error }: { title: string; error: Error }) {
  return <section class="panel" aria-label={title}><header><h3>{title}</h3></header><p class="problem" role="alert">{error.message}</p></section>;
}
