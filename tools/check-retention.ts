import { readFileSync } from "node:fs";

/** Checks that docs/operate/growth.md says how long each table's rows are kept: the first column of its table names each table once. */
const HEADING = "## What is kept how long";

const schema = readFileSync(new URL("../server/schema.sql", import.meta.url), "utf8");
const page = readFileSync(new URL("../docs/operate/growth.md", import.meta.url), "utf8");
const [, section = ""] = page.split(`${HEADING}\n`);
const [lines = ""] = section.split("\n## ");

const tables = [...schema.matchAll(/^create table (\w+) \(/gm)].map(([, name = ""]) => name);
const named = lines
  .split("\n")
  .filter((line) => line.startsWith("| "))
  .flatMap((line) => [...(line.split("|")[1] ?? "").matchAll(/`(\w+)`/g)].map(([, name = ""]) => name));

const faults = [
  ...tables
    .filter((name) => !named.includes(name))
    .map((name) => `${name}: say how long its rows are kept, in docs/operate/growth.md ("${HEADING}").`),
  ...named
    .filter((name) => !tables.includes(name))
    .map((name) => `${name}: docs/operate/growth.md names it, but there is no such table.`),
  ...named
    .filter((name, index) => named.indexOf(name) !== index)
    .map((name) => `${name}: docs/operate/growth.md names it twice.`),
];
for (const fault of faults) console.log(fault);
if (tables.length === 0 || faults.length > 0) process.exitCode = 1;
