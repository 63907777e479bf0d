// Open menus close by a click elsewhere, and by Escape.
import { useEffect } from "preact/hooks";

function close(keep: Node | null): void {
  for (const menu of document.querySelectorAll<HTMLDetailsElement>("details.menu[open]"))
    if (!keep || !menu.contains(keep)) menu.open = false;
}

export function useClosingMenus(): void {
  useEffect(() => {
    const elsewhere = (event: Event) => close(event.target as Node);
    const escape = (event: KeyboardEvent) => event.key === "Escape" && close(null);
    document.addEventListener("pointerdown", elsewhere);
    document.addEventListener("keydown", escape);
    return () => {
      document.removeEventListener("pointerdown", elsewhere);
      document.removeEventListener("keydown", escape);
    };
  }, []);
}
