// The page says everything without its script, which adds: light or dark by hand, read-outs, zoom.
// All of these files are one function in the page (cmake/embed_assets.cmake).
const root = document.documentElement;
const button = document.getElementById("theme");
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
