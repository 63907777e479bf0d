// What one can do with a panel.
import { useEffect, useRef } from "preact/hooks";

export interface MenuItem {
  name: string;
  on?: boolean;
  act(): void;
}

export function Menu({ title, items }: { title: string; items: MenuItem[] }) {
  const box = useRef<HTMLDetailsElement>(null);
  useEffect(() => {
    const close = (event: Event) => {
      if (box.current?.open && !box.current.contains(event.target as Node)) box.current.open = false;
    };
    document.addEventListener("pointerdown", close);
    return () => document.removeEventListener("pointerdown", close);
  }, []);
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
