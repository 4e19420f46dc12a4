import { nameOf, rule, type Node } from "./syntax.ts";

const LANGUAGES = new Set(["language", "languages"]);
const LANGUAGE =
  "Use browser/reader-locale.ts: not everything that browsers report is a language tag, and Intl throws on the rest.";
const DEFAULT = "Pass a locale: without one, text is written in the browser's language and not in the page's.";
const FORMATS = /^toLocale(?:Date|Time)?String$/;

/** Languages of the browser are read in one place, which leaves out what Intl refuses; formats name their locale. */
export const readerLocale = rule("Formats use the page's language or the reader's checked locale.", ({ report }) => ({
  MemberExpression(node) {
    const isNavigator = nameOf(node["object"] as Node) === "navigator";
    if (isNavigator && LANGUAGES.has(nameOf(node["property"] as Node))) report({ node, message: LANGUAGE });
    if (nameOf(node["property"] as Node) === "resolvedOptions" && isDefaultFormat(node["object"] as Node))
      report({ node, message: LANGUAGE });
  },
  CallExpression(node) {
    const callee = node["callee"] as Node;
    const isFormat = callee.type === "MemberExpression" && FORMATS.test(nameOf(callee["property"] as Node));
    if (isFormat && (node["arguments"] as Node[]).length === 0) report({ node, message: DEFAULT });
  },
  NewExpression(node) {
    const callee = node["callee"] as Node;
    const isIntl = callee.type === "MemberExpression" && nameOf(callee["object"] as Node) === "Intl";
    if (isIntl && (node["arguments"] as Node[]).length === 0) report({ node, message: DEFAULT });
  },
}));

function isDefaultFormat(node: Node): boolean {
  return node.type === "CallExpression" && (node["arguments"] as Node[]).length === 0;
}
