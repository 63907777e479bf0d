import { defineConfig } from "vitest/config";
import type { Plugin } from "vite";

// The second part of the program begins to come with the page, not only once the first has run.
const startTogether: Plugin = {
  name: "start-together",
  transformIndexHtml: {
    order: "post",
    handler: (_html, { bundle }) =>
      Object.values(bundle ?? {})
        .filter((one) => one.type === "chunk" && one.isDynamicEntry)
        .map((one) => ({ tag: "link", attrs: { rel: "modulepreload", href: `/${one.fileName}` }, injectTo: "head" as const })),
  },
};

// uPlot makes formats of the browser's language as it loads, which costs 10 ms before the first plot.
// Only axes without `values` would use them; ours have them (src/plot/canvas.ts).
const unusedFormats: [string, string][] = [
  ["new Intl.NumberFormat(domEnv ? nav.language : 'en-US')", "{ format: String }"],
  ["new Intl.DateTimeFormat().resolvedOptions().timeZone", "undefined"],
];
const leaveFormatsOut: Plugin = {
  name: "leave-formats-out",
  transform(code, id) {
    if (!/uPlot\.esm\.js$/.test(id)) return null;
    for (const [format, instead] of unusedFormats) {
      if (!code.includes(format)) throw new Error(`uPlot has no ${format} any more: see whether it is still made as it loads`);
      code = code.replace(format, instead);
    }
    return { code, map: null };
  },
};

// Everything is a file of its own under the server's /assets/: its policy allows neither inline
// scripts nor styles, nor data: addresses. The API of a running `flatout ui` stands behind
// `npm run dev`: FLATOUT_UI=http://127.0.0.1:PORT FLATOUT_TOKEN=...
export default defineConfig({
  base: "/",
  plugins: [startTogether, leaveFormatsOut],
  build: {
    outDir: process.env["FLATOUT_PAGE_OUT"] ?? "../build/web/dist",
    emptyOutDir: true,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    target: "es2022",
    reportCompressedSize: false,
  },
  esbuild: { legalComments: "none" },
  server: {
    fs: { allow: [".."] },
    proxy: {
      "/api": {
        target: process.env["FLATOUT_UI"] ?? "http://127.0.0.1:8765",
        headers: { Authorization: `Bearer ${process.env["FLATOUT_TOKEN"] ?? ""}` },
      },
    },
  },
  test: { include: ["src/**/*.test.ts", "src/**/*.test.tsx"], environment: "node" },
});
