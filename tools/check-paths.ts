import { spawnSync } from "node:child_process";
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** A folder with more files needs subfolders. */
const MAX_FILES = 25;
/** Folders that hold one file per item and may grow. */
const LISTS = /^(domain\/src\/data|server\/migrations|docs\/decisions|texts|bench\/results)(\/|$)|\/sql$/;

/** Every path that a document mentions in backticks or links to must exist, and so must the tests that it quotes after their file. */
const documents = globSync(["*.md", "docs/**/*.md", "*/README.md", "*/src/**/*.md"], {
  exclude: (name) => name.includes("node_modules"),
});
const rooted = /`((?:contract|domain|server|voice|sandbox|web|cli|e2e|bench|drills|security|docs|tools)\/[\w./-]+)`/g;
/** A source file by its name, or by the end of its path. NNN stands for the number of a migration. */
const named = /`((?!NNN)[\w./-]+\.(?:tsx?|sql|mjs))`/g;
const quoted = /`([\w./-]+\.(?:test|spec)\.tsx?)`: "([^"]+)"/g;
const linked = /\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g;

const sources = globSync("**/*.{ts,tsx,sql,mjs}", { exclude: (name) => /(^|\/)(node_modules|dist)$/.test(name) }).map(
  (path) => `/${path}`,
);

let wrong = 0;
for (const document of documents) {
  const text = readFileSync(document, "utf8");
  for (const [, path = ""] of text.matchAll(rooted)) report(document, path, path);
  for (const [, path = ""] of text.matchAll(named))
    if (!sources.some((source) => source.endsWith(`/${path}`))) complain(`${document} names ${path}, which does not exist.`);
  for (const [, path = "", test = ""] of text.matchAll(quoted))
    if (!namesTest(path, test)) complain(`${document} quotes "${test}", which is no test in ${path}.`);
  for (const [, path = ""] of text.matchAll(linked)) report(document, path, join(dirname(document), path));
}
const { stdout } = spawnSync("git", ["ls-files", "--cached", "--others", "--exclude-standard"], { encoding: "utf8" });
const folders = Map.groupBy(stdout.trim().split("\n"), (file) => dirname(file));
for (const [folder, inside] of folders) {
  if (inside.length <= MAX_FILES || folder === "." || LISTS.test(folder)) continue;
  complain(`${folder} has ${inside.length} files, more than ${MAX_FILES}: split it into subfolders.`);
}
if (wrong > 0) process.exitCode = 1;

function report(document: string, named: string, path: string): void {
  if (!existsSync(path)) complain(`${document} names ${named}, which does not exist.`);
}

function namesTest(path: string, name: string): boolean {
  return existsSync(path) && readFileSync(path, "utf8").includes(name);
}

function complain(sentence: string): void {
  wrong += 1;
  console.log(sentence);
}
