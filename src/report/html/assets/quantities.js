// Numbers and ticks, as report/quantity.cc and report/html/scale.cc write them.

// `step`: how far apart two values are that must not read alike; 0 = three digits do.
function digits(value, step) {
  if (value === 0) return "0";
  if (!step) return String(+value.toPrecision(3));
  const decimals = Math.min(9, Math.max(0, -Math.floor(Math.log10(step) + 1e-9)));
  return value.toFixed(decimals);
}

function words(value, unit, step) {
  if (unit.startsWith("log10")) return digits(Math.pow(10, value), 0) + unit.slice(5);
  const scaled = [["T", 1e12], ["G", 1e9], ["M", 1e6], ["k", 1e3], ["", 1]];
  switch (unit) {
    case "s": return clock(value, step);
    case "ms": return value >= 10000 ? digits(value / 1000, step / 1000) + " s" : digits(value, step) + " ms";
    case "ratio": return digits(value * 100, step * 100) + " %";
    case "bytes": case "bytes_per_s": {
      const scale = scaled.find(function (s) { return Math.abs(value) >= s[1]; }) || scaled[4];
      return digits(value / scale[1], step / scale[1]) + " " + scale[0] + "B" + (unit === "bytes" ? "" : "/s");
    }
    case "watts": return digits(value, step) + " W";
    case "celsius": return digits(value, step) + " \u00b0C";
    case "megahertz": return digits(value, step) + " MHz";
    case "count": return digits(Math.round(value), step);
    case "value": case "": return digits(value, step);
    case "per_s": return digits(value, step) + "/s";
    default: return digits(value, step) + " " + unit;
  }
}

// Seconds of the run: "12.4 s", "1:30 min", "1:02:30 h".
function clock(seconds, step) {
  if (seconds < 60) return digits(seconds, step) + " s";
  const minutes = Math.floor(seconds / 60 + 1e-9);
  const rest = digits(Math.max(0, seconds - minutes * 60), Math.min(step || 1, 1));
  const two = function (text) { return text.split(".")[0].length < 2 ? "0" + text : text; };
  if (minutes < 60) return minutes + ":" + two(rest) + " min";
  return Math.floor(minutes / 60) + ":" + two(String(minutes % 60)) + ":" + two(rest) + " h";
}

// About `wanted` places inside [lo, hi]: multiples of 1, 2, 5, or of what a clock has.
function ticksIn(lo, hi, wanted, unit) {
  const rough = (hi - lo) / wanted;
  const power = Math.pow(10, Math.floor(Math.log10(rough)));
  let step = [1, 2, 5, 10].map(function (f) { return f * power; }).find(function (s) { return s >= rough * (1 - 1e-9); });
  if (unit === "s" && rough > 5) {
    step = [10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400]
      .find(function (s) { return s >= rough; }) || step;
  }
  const places = [];
  for (let i = Math.ceil(lo / step - 1e-9); i * step <= hi + step * 1e-9 && places.length < 50; ++i) places.push(i * step);
  return { step, places };
}
