// The table behind a plot: at most so many rows, evenly taken from what is shown.
import { quantity } from "../format/quantity";
import { xText } from "./axis";
import type { Figure } from "./figure";

const most = 60;

export function rowsOf(figure: Figure): number[] {
  const count = figure.xs.length;
  if (count <= most) return [...Array(count).keys()];
  return Array.from({ length: most }, (_, i) => Math.round((i * (count - 1)) / (most - 1)));
}

export function DataTable({ figure }: { figure: Figure }) {
  const rows = rowsOf(figure);
  return (
    <div class="table-box" tabIndex={0} role="region" aria-label={`Values of ${figure.title}`}>
      <table>
        <caption>
          {rows.length < figure.xs.length ? `${rows.length} of ${figure.xs.length} points; the CSV has all of them` : `${rows.length} points`}
        </caption>
        <thead>
          <tr>
            <th scope="col">{figure.xKind === "plain" ? "" : figure.xKind}</th>
            {figure.lines.map((line) => <th scope="col" key={line.label}>{line.label || figure.title}</th>)}
          </tr>
        </thead>
        <tbody>
          {rows.map((i) => (
            <tr key={i}>
              <th scope="row">{xText(figure, figure.xs[i]!)}</th>
              {figure.lines.map((line) => <td key={line.label}>{quantity(line.values[i], line.unit ?? figure.unit)}</td>)}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
