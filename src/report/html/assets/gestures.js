// Mouse, finger and keys. A drag is a brush, which zooms; with Shift, below the axis, or with a
// finger on a chart that is zoomed, it pans. A double click shows all again.
const help = document.getElementById("chart-help");
const movable = plots.find(function (plot) { return !plot.fixed; });
help.hidden = !movable;
if (movable) movable.svg.closest("figure").before(help);
for (const plot of plots) listen(plot);

function listen(plot) {
  const svg = plot.svg;
  const brush = document.createElementNS(SVG, "rect");
  let drag = null;

  function shareOf(event) {
    const box = svg.getBoundingClientRect();
    return Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
  }
  function below(event) {
    return event.clientY - svg.getBoundingClientRect().top > plot.top + plot.height;
  }
  function end() {
    drag = null;
    brush.remove();
    svg.classList.remove("pans");
  }
  function drawBrush(a, b) {
    if (!brush.isConnected) svg.append(brush);
    brush.setAttribute("class", "brush");
    brush.setAttribute("y", plot.top);
    brush.setAttribute("height", plot.height);
    brush.setAttribute("x", percent(Math.min(a, b)));
    brush.setAttribute("width", percent(Math.abs(a - b)));
  }

  svg.addEventListener("pointerdown", function (event) {
    if (event.button !== 0 || plot.fixed || !event.isPrimary) return;
    const finger = event.pointerType === "touch";
    const pans = zoomed(plot.view) && (finger || event.shiftKey || below(event));
    drag = { x: event.clientX, share: shareOf(event), from: plot.view.from, pans, far: false };
  });
  svg.addEventListener("pointermove", function (event) {
    const share = shareOf(event);
    if (!drag) return place(plot, share);
    if (!drag.far && Math.abs(event.clientX - drag.x) < 5) return;
    if (!drag.far) svg.setPointerCapture(event.pointerId);
    drag.far = true;
    if (drag.pans) {
      const width = plot.view.to - plot.view.from;
      svg.classList.add("pans");
      show(plot.view, drag.from - (share - drag.share) * width, width);
    } else {
      drawBrush(drag.share, share);
      place(plot, share);
    }
  });
  svg.addEventListener("pointerup", function (event) {
    if (!drag) return;
    const share = shareOf(event);
    const { far, pans } = drag;
    const a = Math.min(drag.share, share);
    const b = Math.max(drag.share, share);
    end();
    if (!far) return place(plot, share);
    const width = plot.view.to - plot.view.from;
    if (!pans) show(plot.view, plot.view.from + a * width, (b - a) * width);
  });
  svg.addEventListener("pointercancel", end);
  svg.addEventListener("dblclick", function () {
    if (zoomed(plot.view)) show(plot.view, 0, 1);
  });
  svg.addEventListener("wheel", function (event) {
    if (plot.fixed) return;
    const along = event.shiftKey ? event.deltaX || event.deltaY : event.deltaX;
    if (event.ctrlKey) {
      event.preventDefault();
      zoom(plot.view, Math.pow(1.01, event.deltaY), shareOf(event));
    } else if (zoomed(plot.view) && Math.abs(along) >= Math.abs(event.shiftKey ? 0 : event.deltaY) && along !== 0) {
      event.preventDefault();
      pan(plot.view, along / svg.clientWidth);
    }
  }, { passive: false });
  svg.addEventListener("pointerleave", function () { if (!drag) leave(); });
  svg.addEventListener("blur", leave);
  svg.addEventListener("keydown", function (event) {
    if (event.ctrlKey || event.altKey || event.metaKey) return;
    if (event.key === "Escape") end();
    if (act(plot, event)) event.preventDefault();
  });
}

// True where the key was for the chart.
function act(plot, event) {
  const along = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const moves = !plot.fixed;
  if (along && event.shiftKey && moves) {
    pan(plot.view, along * 0.25);
    if (!readout.hidden) place(plot, plot.share);
  }
  else if (along) place(plot, Math.min(1, Math.max(0, plot.share + along * 0.01)));
  else if (event.key === "Home") place(plot, 0);
  else if (event.key === "End") place(plot, 1);
  else if ((event.key === "+" || event.key === "=") && moves) zoom(plot.view, 0.5, plot.share);
  else if (event.key === "-" && moves) zoom(plot.view, 2, plot.share);
  else if (event.key === "0" && moves) show(plot.view, 0, 1);
  else if (event.key === "Escape") leave();
  else return false;
  return true;
}
