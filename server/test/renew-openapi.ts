import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describeApi } from "./describe-api.ts";
import { routesWithoutDatabase } from "./routes-without-database.ts";

/** Writes contract/openapi.json; with `--check`, only reports whether the file is stale. */
const target = fileURLToPath(new URL("../../contract/openapi.json", import.meta.url));
const text = `${JSON.stringify(describeApi(await routesWithoutDatabase()), null, 2)}\n`;

if (!process.argv.includes("--check")) writeFileSync(target, text);
else if (readFileSync(target, "utf8") !== text) {
  console.log("contract/openapi.json is stale: run `npm run openapi`.");
  process.exitCode = 1;
}
// Open clients of the database and of providers would keep the process alive.
process.exit();
