// Types of the documents that the API serves as the command line writes them, from ../schema.
//   node tools/gen_types.mjs [--check]
import { readFile, writeFile } from "node:fs/promises";
import { compileFromFile } from "json-schema-to-typescript";

const here = new URL("..", import.meta.url).pathname;
let stale = 0;
for (const [name, type] of [["report", "Report"], ["tune", "Tune"], ["compare", "Compare"]]) {
  const text = await compileFromFile(`${here}../schema/${name}.schema.json`, {
    additionalProperties: false,
    bannerComment: `// Written by tools/gen_types.mjs from schema/${name}.schema.json.`,
    customName: (schema) => (schema.$schema ? type : undefined),
    format: false,
  });
  const file = `${here}src/api/schema/${name}.ts`;
  if (!process.argv.includes("--check")) await writeFile(file, text);
  else if ((await readFile(file, "utf8").catch(() => "")) !== text) {
    console.error(`${file} is not what schema/${name}.schema.json says: run \`npm run types\``);
    stale = 1;
  }
}
process.exit(stale);
