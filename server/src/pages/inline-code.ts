import { createHash } from "node:crypto";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** Sources for a content security policy. */
export interface InlineCode {
  readonly scripts: readonly string[];
  readonly styles: readonly string[];
}

/**
 * The hashes of the script and styles that the build puts into the app's pages, so that these show something without a further
 * request. Nothing else may run inline.
 * @param folder the output of `npm run build`; may be absent
 */
export function inlineCode(folder: string): InlineCode {
  const pages = existsSync(folder) ? globSync(["index.html", "operator.html", "shell/*.html"], { cwd: folder }) : [];
  const html = pages.map((page) => readFileSync(join(folder, page), "utf8")).join("\n");
  return { scripts: hashesOf(html, /<script>([^]*?)<\/script>/g), styles: hashesOf(html, /<style>([^]*?)<\/style>/g) };
}

function hashesOf(html: string, element: RegExp): readonly string[] {
  const hashes = [...html.matchAll(element)].map(([, code = ""]) => createHash("sha256").update(code).digest("base64"));
  return [...new Set(hashes)].map((hash) => `'sha256-${hash}'`);
}
