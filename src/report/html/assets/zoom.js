// Which part of its x axis a chart shows. Charts over the time of the run show the same part.
const LEAST = 1 / 500;  // of the whole: coordinates are too coarse for less
const zoomBar = document.createElement("div");
let barOf = null;  // the view that the bar's buttons move

function zoomed(view) { return view.to - view.from < 1; }

function show(view, from, width) {
  width = Math.min(1, Math.max(LEAST, width));
  view.from = Math.min(1 - width, Math.max(0, from));
  view.to = view.from + width;
  for (const plot of view.plots) draw(plot);
  sayView(view);
}

function pan(view, share) { show(view, view.from + share * (view.to - view.from), view.to - view.from); }

// `share` of what is shown stays where it is.
function zoom(view, factor, share) {
  const width = view.to - view.from;
  const next = Math.min(1, Math.max(LEAST, width * factor));
  show(view, view.from + share * (width - next), next);
}

function draw(plot) {
  const from = plot.view.from;
  const width = plot.view.to - from;
  for (const layer of plot.layers) {
    layer.svg.setAttribute("viewBox", [from * LAYER, layer.box[1], width * LAYER, layer.box[3]].join(" "));
  }
  for (const one of plot.placed) put(one.element, one.at.map(function (at) { return (at - from) / width; }));
  drawTicks(plot);
}

function percent(share) { return +(share * 100).toFixed(4) + "%"; }

function put(element, at) {
  const last = at[at.length - 1];
  element.setAttribute("visibility", last < -1e-6 || at[0] > 1 + 1e-6 ? "hidden" : "inherit");
  const a = Math.min(1, Math.max(0, at[0]));
  const b = Math.min(1, Math.max(0, last));
  switch (element.tagName) {
    case "rect":
      element.setAttribute("x", percent(a));
      element.setAttribute("width", percent(Math.max(b - a, element.classList.contains("mark") ? 0.003 : 0)));
      break;
    case "line":
      element.setAttribute("x1", percent(a));
      element.setAttribute("x2", percent(b));
      break;
    case "circle":
      element.setAttribute("cx", percent(a));
      break;
    default:
      element.setAttribute("x", percent(a));
      if (element.classList.contains("flag")) {
        element.setAttribute("text-anchor", a > 0.7 ? "end" : "start");
        element.setAttribute("dx", a > 0.7 ? "-4" : "4");
      }
  }
}

function drawTicks(plot) {
  if (!zoomed(plot.view)) return plot.ticks.group.replaceChildren(...plot.ticks.own);
  const range = plot.x1 - plot.x0;
  const lo = plot.x0 + plot.view.from * range;
  const hi = plot.x0 + plot.view.to * range;
  const ticks = ticksIn(lo, hi, plot.svg.clientWidth < 500 ? 4 : 6, plot.xUnit);
  const bottom = plot.top + plot.height + plot.strips;
  const made = [];
  for (const tick of ticks.places) {
    const share = (tick - lo) / (hi - lo);
    const line = document.createElementNS(SVG, "line");
    line.setAttribute("class", "tick");
    line.setAttribute("x1", percent(share));
    line.setAttribute("x2", percent(share));
    line.setAttribute("y1", plot.top);
    line.setAttribute("y2", bottom + 4);
    const text = document.createElementNS(SVG, "text");
    text.setAttribute("class", "tick-label");
    text.setAttribute("x", percent(share));
    text.setAttribute("y", bottom + 15);
    text.setAttribute("text-anchor", share < 0.04 ? "start" : share > 0.95 ? "end" : "middle");
    text.textContent = words(tick, plot.xUnit, ticks.step);
    made.push(line, text);
  }
  plot.ticks.group.replaceChildren(...made);
}

// The bar at the foot of the window: what is shown, and buttons for it.
const zoomText = document.createElement("span");
zoomBar.className = "zoom";
zoomBar.hidden = true;
zoomBar.setAttribute("role", "group");
zoomBar.setAttribute("aria-label", "Zoom of the charts");
zoomText.setAttribute("role", "status");
zoomBar.append(zoomText);
for (const [sign, name, act] of [
  ["\u25c0", "Earlier", function () { pan(barOf, -0.5); }],
  ["\u25b6", "Later", function () { pan(barOf, 0.5); }],
  ["+", "Zoom in", function () { zoom(barOf, 0.5, 0.5); }],
  ["\u2212", "Zoom out", function () { zoom(barOf, 2, 0.5); }],
  ["Show all", "Show all", function () { show(barOf, 0, 1); }]]) {
  const one = document.createElement("button");
  one.type = "button";
  one.textContent = sign;
  one.setAttribute("aria-label", name);
  one.addEventListener("click", act);
  zoomBar.append(one);
}
document.querySelector(".floating").prepend(zoomBar);

function sayView(view) {
  const other = plots.find(function (plot) { return zoomed(plot.view); });
  barOf = zoomed(view) ? view : other ? other.view : view;
  zoomBar.hidden = !zoomed(barOf);
  const plot = barOf.plots[0];
  const range = plot.x1 - plot.x0;
  const step = range * (barOf.to - barOf.from) / 100;
  zoomText.textContent = words(plot.x0 + barOf.from * range, plot.xUnit, step) + " to " +
    words(plot.x0 + barOf.to * range, plot.xUnit, step);
}
