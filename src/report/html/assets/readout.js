// What lies under the cursor, in words.
const readout = document.getElementById("readout");

// Two values closer than this look alike in a path, whose y has one decimal.
function grain(plot) {
  return Math.pow(10, Math.ceil(Math.log10((plot.y1 - plot.y0) / plot.height / 10) - 1e-9));
}

function stepWords(plot, x) {
  const bars = plot.steps || (plot.timed && mapped ? mapped.steps : null);
  const bar = bars && bars.find(function (one) { return one.from <= x && x < one.to; });
  if (!bar) return "";
  return bar.first === bar.last ? ", step " + bar.first : ", steps " + bar.first + " to " + bar.last;
}

function place(plot, share) {
  plot.share = share;
  const view = plot.view;
  const width = view.to - view.from;
  const range = plot.x1 - plot.x0;
  const x = (view.from + share * width) * LAYER;
  const spans = plot.yUnit === "span";  // boxes whose width is what they say
  const parts = [];
  let together = 0;
  let stacked = 0;
  for (const shape of shapes(plot)) {
    const found = at(shape, x, LAYER / 50 * width);
    if (!found) continue;
    if (spans) {
      parts.push(shape.name + " " + words((found.to - found.from) / LAYER * range, plot.xUnit, 0));
      continue;
    }
    parts.push(shape.name + " " + words(found.value, plot.yUnit, shape.dot ? 0 : grain(plot)));
    if (shape.box) {
      stacked += 1;
      together += found.value;
    }
  }
  if (stacked > 1) parts.push("together " + words(together, plot.yUnit, grain(plot)));
  const where = plot.fixed ? "" : words(plot.x0 + x / LAYER * range, plot.xUnit, range * width / 500);
  const head = where + stepWords(plot, x);
  readout.textContent = head + (head && parts.length ? ": " : "") + parts.join(", ");
  readout.hidden = readout.textContent === "";
  for (const other of plots) {
    const seen = other === plot || (plot.timed && other.timed);
    other.cursor.setAttribute("visibility", seen ? "visible" : "hidden");
    other.cursor.setAttribute("x1", percent(share));
    other.cursor.setAttribute("x2", percent(share));
  }
}

function leave() {
  readout.hidden = true;
  for (const plot of plots) plot.cursor.setAttribute("visibility", "hidden");
}
