// Keys of the page. A view says what its keys do while it is shown; where one types, they rest.
import { useEffect } from "preact/hooks";

type Action = () => void;
const stack: Record<string, Action>[] = [];

function isTyping(target: EventTarget | null): boolean {
  const element = target as HTMLElement | null;
  return !!element?.closest?.("input:not([type=checkbox]):not([type=range]), textarea, select, [contenteditable]");
}

export function handleKey(event: KeyboardEvent): void {
  if (event.ctrlKey || event.metaKey || event.altKey) return;
  if (isTyping(event.target)) {
    if (event.key === "Escape") (event.target as HTMLElement).blur();
    return;
  }
  for (const keys of [...stack].reverse()) {
    const action = keys[event.key];
    if (!action) continue;
    event.preventDefault();
    action();
    return;
  }
}

export function useKeys(keys: Record<string, Action>): void {
  useEffect(() => {
    stack.push(keys);
    return () => {
      const at = stack.lastIndexOf(keys);
      if (at >= 0) stack.splice(at, 1);
    };
  });
}
