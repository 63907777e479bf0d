// What one can do with a panel.
import { useRef } from "preact/hooks";

export interface MenuItem {
  name: string;
  on?: boolean;
  act(): void;
}

export function Menu({ title, items }: { title: string; items: MenuItem[] }) {
  const box = useRef<HTMLDetailsElement>(null);
  const act = (item: MenuItem) => {
    item.act();
    if (box.current) box.current.open = false;
  };
  return (
    <details class="menu" ref={box}>
      <summary aria-label={`Menu of ${title}`}>⋯</summary>
      <div>
        {items.map((item) => (
          <button type="button" key={item.name} aria-pressed={item.on ?? undefined} onClick={() => act(item)}>
            {item.name}
          </button>
        ))}
      </div>
    </details>
  );
}
