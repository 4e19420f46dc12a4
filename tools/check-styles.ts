import { globSync, readFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";

/**
 * The compiler finds names of missing classes (`web/build/styles.ts`); this finds classes that no component uses, stylesheets outside
 * `styles` that are not modules, and sides that are wrong in the other text direction.
 */
const SOURCE = "web/src";
/** Arabic is written from right to left, so styles must use start and end, not left and right. */
const SIDE =
  /(?:^|[\s{;])(?:(?:margin|padding|border|scroll-margin|scroll-padding|inset)-(?:left|right)\b|(?:left|right)\s*:|(?:text-align|float|clear)\s*:\s*(?:left|right)\b|border-(?:top|bottom)-(?:left|right)-radius)/;
/** Four values of which the second and the fourth, right and left, differ. */
const FOUR_SIDES = /(?:^|[\s{;])(?:margin|padding|inset|scroll-margin|scroll-padding)\s*:\s*([^;{}]+)/;
const INLINE_SIDE =
  /\b(?:(?:margin|padding)(?:Left|Right)|border(?:Left|Right|(?:Top|Bottom)(?:Left|Right)Radius)\w*)\s*:|style=\{\{[^}]*\b(?:left|right)\s*:|textAlign:\s*"(?:left|right)"/;

function hasUnequalSides(line: string): boolean {
  const values = FOUR_SIDES.exec(line)?.[1]?.match(/[\w-]*\((?:[^()]|\([^()]*\))*\)|[^\s()]+/g) ?? [];
  return values.filter((value) => value !== "!important").length === 4 && values[1] !== values[3];
}

const components = globSync(`${SOURCE}/**/*.tsx`).map((file) => ({ file, code: readFileSync(file, "utf8") }));
for (const sheet of globSync(`${SOURCE}/**/*.css`).toSorted()) {
  for (const [index, line] of readFileSync(sheet, "utf8").split("\n").entries())
    if (SIDE.test(line) || hasUnequalSides(line))
      fail(`${sheet}:${index + 1} uses left or right instead of start or end: ${line.trim()}`);
  if (sheet.startsWith(`${SOURCE}/styles/`)) continue;
  if (!sheet.endsWith(".module.css")) fail(`${sheet} applies to every page: make it a module, or move it to ${SOURCE}/styles.`);
  else for (const name of unusedIn(sheet)) fail(`${sheet}: no component uses .${name}.`);
}

for (const { file, code } of components)
  for (const [index, line] of code.split("\n").entries())
    if (INLINE_SIDE.test(line)) fail(`${file}:${index + 1} uses left or right instead of start or end: ${line.trim()}`);

function unusedIn(sheet: string): string[] {
  const users = components.flatMap(({ file, code }) => {
    const [, alias, path = ""] = new RegExp(`import \\* as (\\w+) from "([^"]*/${basename(sheet)})"`).exec(code) ?? [];
    return alias !== undefined && join(dirname(file), path) === sheet ? [{ alias, code }] : [];
  });
  // A component that chooses a class by a variable has the class's name in its code.
  const isUsed = (name: string) =>
    users.some(
      ({ alias, code }) =>
        new RegExp(`\\b${alias}\\.${name}\\b`).test(code) ||
        (code.includes(`${alias}[`) && new RegExp(`\\b${name}\\b`).test(code)),
    );
  return [...classesOf(readFileSync(sheet, "utf8"))].filter((name) => !isUsed(name));
}

function classesOf(css: string): Set<string> {
  const selectors = css.replaceAll(/\/\*.*?\*\/|:global\([^)]*\)/gs, "").matchAll(/([^{};]+)\{/g);
  return new Set(
    [...selectors].flatMap(([, selector = ""]) => [...selector.matchAll(/\.([a-z]\w*)/gi)].map(([, name = ""]) => name)),
  );
}

function fail(problem: string): void {
  console.log(problem);
  process.exitCode = 1;
}
