// Parts of a whole as one bar with its legend. The numbers stand in text, so that the bar needs none.
export interface Part {
  name: string;
  colour: string;
  value: number;
  text: string;
}

export function Bar({ title, parts, lead }: { title: string; parts: Part[]; lead?: string }) {
  const shown = parts.filter((part) => part.value > 0);
  const sum = shown.reduce((total, part) => total + part.value, 0);
  if (sum <= 0) return null;
  let x = 0;
  return (
    <figure class="bar-figure">
      <figcaption><h3>{title}</h3>{lead && <span class="muted">{lead}</span>}</figcaption>
      <svg viewBox="0 0 1000 26" preserveAspectRatio="none" aria-hidden="true">
        {shown.map((part) => {
          const width = (part.value / sum) * 1000;
          x += width;
          return <rect key={part.name} x={x - width} width={Math.max(0, width - 1.5)} height="26" class={`fill-${part.colour}`}><title>{`${part.name}: ${part.text}`}</title></rect>;
        })}
      </svg>
      <ul>
        {shown.map((part) => (
          <li key={part.name}>
            <svg viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" rx="2" class={`fill-${part.colour}`} /></svg>
            {part.name} <b>{part.text}</b>
          </li>
        ))}
      </ul>
    </figure>
  );
}
