import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** Every path that a document mentions in backticks or links to must exist. */
const documents = globSync(["*.md", "docs/**/*.md", "*/README.md", "*/src/**/*.md"], {
  exclude: (name) => name.includes("node_modules"),
});
const rooted = /`((?:contract|domain|server|voice|sandbox|web|cli|e2e|bench|drills|security|docs|tools)\/[\w./-]+)`/g;
const linked = /\]\((?!https?:|#|mailto:)([^)#\s]+)(?:#[^)]*)?\)/g;

let wrong = 0;
for (const document of documents) {
  const text = readFileSync(document, "utf8");
  for (const [, path = ""] of text.matchAll(rooted)) report(document, path, path);
  for (const [, path = ""] of text.matchAll(linked)) report(document, path, join(dirname(document), path));
}
if (wrong > 0) process.exitCode = 1;

function report(document: string, named: string, path: string): void {
  if (existsSync(path)) return;
  wrong += 1;
  console.log(`${document} names ${named}, which does not exist.`);
}
