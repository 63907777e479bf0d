// Read-outs under the pointer or the arrow keys, and the switch between light
// and dark. The page says everything without it.
"use strict";
(function () {
  const root = document.documentElement;
  const button = document.getElementById("theme");
  const readout = document.getElementById("readout");

  button.hidden = false;
  button.addEventListener("click", function () {
    const dark = root.dataset.theme
      ? root.dataset.theme === "dark"
      : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  // What is folded away must be on paper too, but for the long list at the end.
  addEventListener("beforeprint", function () {
    for (const details of document.querySelectorAll("details")) {
      if (!details.closest("#figures")) details.open = true;
    }
  });

  const LAYER = 10000;  // width of a stretched layer's coordinates
  const plots = Array.from(document.querySelectorAll("svg.plot"), read);

  function read(svg) {
    const x = svg.dataset.x.split(" ");
    const y = svg.dataset.y.split(" ");
    const h = svg.dataset.h.split(" ").map(Number);
    return { svg, x0: +x[0], x1: +x[1], xUnit: x[2], y0: +y[0], y1: +y[1], yUnit: y[2] || "",
             top: h[0], height: h[1], cursor: svg.querySelector(".cursor"), shapes: null };
  }

  // The paths are the data: points of lines, rectangles of boxes.
  function shapes(plot) {
    if (plot.shapes) return plot.shapes;
    plot.shapes = [];
    for (const path of plot.svg.querySelectorAll("path[data-name]")) {
      const name = path.dataset.name;
      if (!name) continue;
      const d = path.getAttribute("d");
      const points = [];
      if (path.classList.contains("box")) {
        for (const m of d.matchAll(/M(\d+) ([\d.]+)h(\d+)v([\d.]+)/g)) {
          points.push({ from: +m[1], to: +m[1] + +m[3], value: +m[4] / plot.height * (plot.y1 - plot.y0) });
        }
      } else {
        for (const m of d.matchAll(/[ML](\d+) ([\d.]+)/g)) {
          const up = 1 - (m[2] - plot.top) / plot.height;
          points.push({ from: +m[1], to: +m[1], value: plot.y0 + up * (plot.y1 - plot.y0) });
        }
      }
      plot.shapes.push({ name, line: !path.classList.contains("box"), points });
    }
    return plot.shapes;
  }

  function at(shape, x) {
    let best = null;
    let least = shape.line ? LAYER / 50 : 1;
    for (const point of shape.points) {
      const distance = Math.max(point.from - x, x - point.to, 0);
      if (distance < least) {
        least = distance;
        best = point;
      }
    }
    return best;
  }

  function digits(value) {
    return value === 0 ? "0" : String(+value.toPrecision(3));
  }

  function words(value, unit) {
    const scaled = [["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3], ["", 1]];
    switch (unit) {
      case "ratio": return digits(value * 100) + " %";
      case "bytes": case "bytes_per_s": {
        const scale = scaled.find(function (s) { return Math.abs(value) >= s[1]; }) || scaled[4];
        return digits(value / scale[1]) + " " + scale[0] + "B" + (unit === "bytes" ? "" : "/s");
      }
      case "watts": return digits(value) + " W";
      case "celsius": return digits(value) + " \u00b0C";
      case "megahertz": return digits(value) + " MHz";
      case "count": case "value": case "": return digits(value);
      case "per_s": return digits(value) + "/s";
      default: return digits(value) + " " + unit;
    }
  }

  function place(plot, share) {
    const x = Math.round(share * LAYER);
    const parts = [];
    for (const shape of shapes(plot)) {
      const found = at(shape, x);
      if (found) parts.push(shape.name + " " + words(found.value, plot.yUnit));
    }
    const where = words(plot.x0 + share * (plot.x1 - plot.x0), plot.xUnit);
    readout.textContent = parts.length ? where + ": " + parts.join(", ") : where;
    readout.hidden = false;
    const timed = plot.svg.classList.contains("timed");
    for (const other of plots) {
      const shown = other === plot || (timed && other.svg.classList.contains("timed"));
      other.cursor.setAttribute("visibility", shown ? "visible" : "hidden");
      other.cursor.setAttribute("x1", share * 100 + "%");
      other.cursor.setAttribute("x2", share * 100 + "%");
    }
  }

  function leave() {
    readout.hidden = true;
    for (const plot of plots) plot.cursor.setAttribute("visibility", "hidden");
  }

  for (const plot of plots) {
    let share = 0.5;
    plot.svg.addEventListener("pointermove", function (event) {
      const box = plot.svg.getBoundingClientRect();
      share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
      place(plot, share);
    });
    plot.svg.addEventListener("pointerleave", leave);
    plot.svg.addEventListener("blur", leave);
    plot.svg.addEventListener("keydown", function (event) {
      const step = { ArrowLeft: -0.01, ArrowRight: 0.01 }[event.key];
      if (event.key === "Escape") leave();
      if (!step) return;
      event.preventDefault();
      share = Math.min(1, Math.max(0, share + step));
      place(plot, share);
    });
  }
})();
