// Which rows of a long list lie in the window, with some above and below.
export interface Window {
  first: number;
  last: number; // inclusive; before first where there is none
}

export function rowsInView(scroll: number, height: number, rowHeight: number, count: number, spare = 8): Window {
  const first = Math.max(0, Math.floor(scroll / rowHeight) - spare);
  const last = Math.min(count - 1, Math.ceil((scroll + height) / rowHeight) + spare);
  return { first: Math.min(first, Math.max(0, count - 1)), last };
}
