import { globSync, readFileSync } from "node:fs";

/** Arabic is written from right to left, so styles must use start and end, not left and right. */
const SIDE =
  /^\s*(?:(?:margin|padding|border)-(?:left|right)\b|(?:left|right)\s*:|(?:text-align|float|clear)\s*:\s*(?:left|right)\b|border-(?:top|bottom)-(?:left|right)-radius)/;

let wrong = 0;
for (const file of globSync("web/src/**/*.css")) {
  for (const [index, line] of readFileSync(file, "utf8").split("\n").entries()) {
    if (!SIDE.test(line)) continue;
    wrong += 1;
    console.log(`${file}:${index + 1} uses left or right instead of start or end: ${line.trim()}`);
  }
}
if (wrong > 0) process.exitCode = 1;
