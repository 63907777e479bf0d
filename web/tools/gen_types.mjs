// Types of what the API serves: of the documents that the command line writes as well, and of the
// API's own answers as ../schema/openapi.json describes them.
//   node tools/gen_types.mjs [--check]
import { readFile, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { compile, compileFromFile } from "json-schema-to-typescript";

const here = fileURLToPath(new URL("..", import.meta.url));
const options = { additionalProperties: false, format: false };
let stale = 0;

async function keep(name, source, text) {
  const file = `${here}src/api/schema/${name}.ts`;
  if (!process.argv.includes("--check")) return writeFile(file, text);
  if ((await readFile(file, "utf8").catch(() => "")) === text) return;
  console.error(`${file} is not what schema/${source} says: run \`npm run types\``);
  stale = 1;
}

for (const [name, type] of [["report", "Report"], ["tune", "Tune"], ["compare", "Compare"]]) {
  const source = `${name}.schema.json`;
  await keep(name, source, await compileFromFile(`${here}../schema/${source}`, {
    ...options,
    bannerComment: `// Written by tools/gen_types.mjs from schema/${source}. Long where the schema is: one type a definition.`,
    customName: (schema) => (schema.$schema ? type : undefined),
  }));
}

// The answers of the API are the parts of one schema, whose own type nobody wants.
const openapi = await readFile(`${here}../schema/openapi.json`, "utf8");
const { components } = JSON.parse(openapi.replaceAll("#/components/schemas/", "#/definitions/"));
const text = await compile({ $id: "Unused", type: "object", definitions: components.schemas }, "Unused", {
  ...options,
  bannerComment: "// Written by tools/gen_types.mjs from schema/openapi.json. Long where the schema is: one type a definition.",
  unreachableDefinitions: true,
  unknownAny: true,
});
const unused = /\/\*\*\n \* This interface was referenced by[\s\S]*?\*\/\n|^export interface Unused \{\s*\}\n/gm;
await keep("answers", "openapi.json", text.replace(unused, ""));
process.exit(stale);
