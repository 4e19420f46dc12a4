import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/**
 * A component imports its styles: every class it uses is in a stylesheet that it imports directly or transitively. Every class
 * in a stylesheet is used and is defined in one file. Stylesheets are imported last, so that a component's rules follow those
 * of the components inside it.
 */
const SOURCE = "web/src";

const sources = globSync(`${SOURCE}/**/*.{ts,tsx}`).filter((file) => !file.includes(".test."));
const sheets = globSync(`${SOURCE}/**/*.css`);
const text = new Map([...sources, ...sheets].map((file) => [file, readFileSync(file, "utf8")]));
const wrong: string[] = [];

/** The stylesheets that mention each class, and those with a rule for that class alone. */
const definedIn = new Map<string, Set<string>>();
const homes = new Map<string, Set<string>>();
for (const sheet of sheets) {
  const rules = (text.get(sheet) ?? "").replaceAll(/\/\*.*?\*\//gs, "").matchAll(/([^{};]+)\{/g);
  for (const [, selectors = ""] of rules)
    for (const [, name = ""] of selectors.matchAll(/\.(-?[A-Za-z_][\w-]*)/g)) add(definedIn, name, sheet);
  for (const [, name = ""] of (text.get(sheet) ?? "").matchAll(/^\.([\w-]+) \{/gm)) add(homes, name, sheet);
}

const used = new Map<string, string[]>();
for (const file of sources) used.set(file, classesIn(text.get(file) ?? ""));
const everyClass = [...used.values()].flat();

for (const [name, files] of definedIn)
  if (!everyClass.some((one) => matches(one, name))) wrong.push(`${[...files].join(", ")}: no component names .${name}`);
for (const [name, files] of homes)
  if ([...files].filter((file) => !file.startsWith(`${SOURCE}/styles/`)).length > 1)
    wrong.push(`.${name} has more than one home: ${[...files].join(", ")}`);
for (const [file, names] of used) {
  const brought = new Set([...reach(file)].flatMap((one) => (one.endsWith(".css") ? [one] : [])));
  for (const name of names) {
    const homesOfIt = [...definedIn].filter(([one]) => matches(name, one)).flatMap(([, files]) => [...files]);
    if (!homesOfIt.some((sheet) => brought.has(sheet) || sheet.startsWith(`${SOURCE}/styles/`)))
      wrong.push(
        `${file} names .${name}, and imports no stylesheet of it (${[...new Set(homesOfIt)].join(", ") || "there is none"})`,
      );
  }
  if (/^import "[^"]+\.css";\n(?:[^\n]*\n)*?import (?!"[^"]+\.css")/m.test(text.get(file) ?? ""))
    wrong.push(`${file} imports a stylesheet before a component`);
}
for (const line of wrong.toSorted()) console.log(line);
if (wrong.length > 0) process.exitCode = 1;

/** The classes in `className=…`, `className: …` and `classNames(…)`. A computed part of a name becomes `*`. */
function classesIn(code: string): string[] {
  const names: string[] = [];
  for (const { index, 0: start } of code.matchAll(/\b(?:class(?:Name)?=|className: |classNames\(|classList\.\w+\()/g)) {
    const from = index + start.length;
    const isCall = start.endsWith("(");
    const end = !isCall && code[from] === '"' ? code.indexOf('"', from + 1) + 1 : endOf(code, from);
    const part = code.slice(from, end);
    for (const [, compared, , literal = ""] of part.matchAll(/([!=]== |\w: )?(["`])(.*?)\2/gs))
      if (compared === undefined)
        names.push(
          ...literal
            .replaceAll(/\$\{[^}]*\}/g, "*")
            .split(/\s+/)
            .filter((name) => /^[a-z][\w*-]*$/.test(name)),
        );
  }
  return names;
}

/** The index after the bracket that closes the one at or before `from`. */
function endOf(code: string, from: number): number {
  let depth = code[from] === "{" ? 0 : 1;
  for (let at = from; at < code.length; at += 1) {
    if (/[({[]/.test(code[at] ?? "")) depth += 1;
    if (/[)}\]]/.test(code[at] ?? "") && --depth <= 0) return at;
  }
  return code.length;
}

function matches(used: string, name: string): boolean {
  return used.includes("*") ? new RegExp(`^${used.replaceAll("*", ".+")}$`).test(name) : used === name;
}

/** A file with everything it imports by a relative path, transitively. */
function reach(start: string, seen = new Set<string>()): Set<string> {
  if (seen.has(start) || !existsSync(start)) return seen;
  seen.add(start);
  for (const [, path = ""] of (text.get(start) ?? "").matchAll(/(?:from|@?import) "(\.[^"]+)"/g))
    reach(join(dirname(start), path), seen);
  return seen;
}

function add(map: Map<string, Set<string>>, key: string, value: string): void {
  map.set(key, (map.get(key) ?? new Set()).add(value));
}
