import { globSync, readFileSync } from "node:fs";

/** A style that names a side is wrong in Arabic, which is read from right to left: it must say start and end. */
const SIDE =
  /^\s*(?:(?:margin|padding|border)-(?:left|right)\b|(?:left|right)\s*:|(?:text-align|float|clear)\s*:\s*(?:left|right)\b|border-(?:top|bottom)-(?:left|right)-radius)/;

let wrong = 0;
for (const file of globSync("web/src/**/*.css")) {
  for (const [index, line] of readFileSync(file, "utf8").split("\n").entries()) {
    if (!SIDE.test(line)) continue;
    wrong += 1;
    console.log(`${file}:${index + 1} names a side: ${line.trim()}`);
  }
}
if (wrong > 0) process.exitCode = 1;
