// The drawings as data: what the read-out says, and what a zoom moves.
const LAYER = 100000;  // width of a stretched layer's coordinates (plot.cc)
const SVG = document.querySelector("svg").namespaceURI;
const run = { from: 0, to: 1, plots: [] };  // the part of the run that its charts show together
const plots = Array.from(document.querySelectorAll("svg.plot"), read);
const mapped = plots.find(function (plot) { return plot.timed && plot.steps; });

function read(svg) {
  const x = svg.dataset.x.split(" ");
  const y = svg.dataset.y.split(" ");
  const h = svg.dataset.h.split(" ").map(Number);
  const timed = svg.classList.contains("timed");
  const plot = {
    svg, timed, fixed: svg.classList.contains("fixed"),
    x0: +x[0], x1: +x[1], xUnit: x[2] || "", y0: +y[0], y1: +y[1], yUnit: y[2] || "",
    top: h[0], height: h[1], strips: h[2],
    cursor: svg.querySelector(".cursor"),
    layers: Array.from(svg.querySelectorAll("svg.layer"), function (layer) {
      return { svg: layer, box: layer.getAttribute("viewBox").split(" ") };
    }),
    placed: Array.from(svg.querySelectorAll("[data-at]"), function (element) {
      return { element, at: element.dataset.at.split(" ").map(Number) };
    }),
    steps: steps(svg.dataset.steps), ticks: gathered(svg), shapes: null, share: 0.5,
    view: timed ? run : { from: 0, to: 1, plots: [] },
  };
  plot.view.plots.push(plot);
  return plot;
}

// The ticks in a group of their own, so that others can take their place.
function gathered(svg) {
  const own = svg.querySelectorAll(".tick, .tick-label");
  const group = document.createElementNS(SVG, "g");
  if (own.length > 0) own[0].before(group);
  group.append(...own);
  return { group, own: Array.from(own) };
}

// Written by step_map() of plot.cc: where each bar lies, and which steps it stands for.
function steps(text) {
  if (!text) return null;
  const bars = [];
  const numbers = text.split(" ").map(Number);
  let at = 0;
  let first = 1;
  for (let i = 0; i + 2 < numbers.length; i += 3) {
    const from = at + numbers[i];
    at = from + numbers[i + 1];
    bars.push({ from, to: at, first, last: first + numbers[i + 2] - 1 });
    first += numbers[i + 2];
  }
  return bars;
}

// The paths are the data: points of lines, rectangles of boxes; and dots.
function shapes(plot) {
  if (plot.shapes) return plot.shapes;
  plot.shapes = [];
  const range = plot.y1 - plot.y0;
  for (const path of plot.svg.querySelectorAll("path[data-name]")) {
    const name = path.dataset.name;
    if (!name) continue;
    const d = path.getAttribute("d");
    const box = path.classList.contains("box");
    const points = [];
    let x = 0;
    let y = 0;
    if (box) {
      for (const m of d.matchAll(/m(-?\d+) ?(-?[\d.]+)h(\d+)v([\d.]+)/g)) {
        x += +m[1];
        points.push({ from: x, to: x + +m[3], value: +m[4] / plot.height * range });
      }
    } else {
      for (const m of d.matchAll(/(M?)(-?[\d.]+)(?: |(?=-))(-?[\d.]+)/g)) {
        x = m[1] ? +m[2] : x + +m[2];
        y = m[1] ? +m[3] : y + +m[3];
        points.push({ from: x, to: x, value: plot.y0 + (1 - (y - plot.top) / plot.height) * range });
      }
    }
    plot.shapes.push({ name, box, points });
  }
  for (const dot of plot.svg.querySelectorAll("circle[data-name]")) {
    const at = dot.dataset.at * LAYER;
    plot.shapes.push({ name: dot.dataset.name, dot: true, points: [{ from: at, to: at, value: +dot.dataset.value }] });
  }
  return plot.shapes;
}

function at(shape, x, reach) {
  let best = null;
  let least = shape.box ? 1 : reach;
  for (const point of shape.points) {
    const distance = Math.max(point.from - x, x - point.to, 0);
    if (distance < least) {
      least = distance;
      best = point;
    }
  }
  return best;
}
