import { defineConfig } from "vitest/config";

// Everything is a file of its own under the server's /assets/: its policy allows neither inline
// scripts nor styles, nor data: addresses. The API of a running `flatout ui` stands behind
// `npm run dev`: FLATOUT_UI=http://127.0.0.1:PORT FLATOUT_TOKEN=...
export default defineConfig({
  base: "/",
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
