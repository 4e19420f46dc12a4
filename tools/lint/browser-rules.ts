import { argumentsOf, calledName, nameOf, type Node, rule } from "./syntax.ts";

const TIMERS = new Set(["setTimeout", "setInterval"]);
const TIMER =
  "Use `after`, `every`, `pause` or `createPace` of web/src/time/timers.ts: each delay then has a floor and a ceiling.";
const CLOCK =
  "The device's clock may be years off and may be set at any moment. Use web/src/time/clock.ts, or performance.now() for durations.";

/** In a browser the time is the service's or monotonic, and timers are bounded in one place. */
export const oneClock = rule("The page reads no clock of the device and sets no timer of its own.", ({ report }) => ({
  CallExpression(node) {
    const callee = node["callee"] as Node;
    if (TIMERS.has(calledName(node)) && isGlobal(callee)) report({ node, message: TIMER });
    if (nameOf(callee) === "Date") report({ node, message: CLOCK });
  },
  NewExpression(node) {
    if (nameOf(node["callee"] as Node) === "Date" && argumentsOf(node).length === 0) report({ node, message: CLOCK });
  },
  MemberExpression(node) {
    if (nameOf(node["object"] as Node) === "Date" && nameOf(node["property"] as Node) === "now") report({ node, message: CLOCK });
  },
}));

/** `setTimeout(…)`, `window.setTimeout(…)`; not a method of another object. */
function isGlobal(callee: Node): boolean {
  return callee.type === "Identifier" || /^(window|self|globalThis)$/.test(nameOf(callee["object"] as Node));
}

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

const SETTERS = new Set(["setQueryData", "setQueriesData"]);
const ANSWER = "Use showAnswer, or showChangeIn of service/show-answer.ts: a request in progress may bring older data.";

/** A change and its answer are shown in one way, which an older answer cannot undo. */
export const shownAnswers = rule("What the service answered to a change stays.", ({ report }) => ({
  CallExpression(node) {
    if (SETTERS.has(calledName(node))) report({ node, message: ANSWER });
  },
}));

const MESSAGE = "Load it with loadPart or optionalPart of session/load-part.ts: after a deployment the file may be gone.";
const LOADERS = new Set(["loadPart", "optionalPart", "page", "listPage", "part"]);

/** Parts of the app are loaded in one way, so that a page of a former release loads itself again instead of failing. */
export const loadedParts = rule("Parts of the app are loaded through loadPart.", ({ report }) => ({
  ImportExpression(node) {
    for (let above: Node | null = node.parent; above !== null; above = above.parent)
      if (above.type === "CallExpression" && LOADERS.has(calledName(above))) return;
    report({ node, message: MESSAGE });
  },
}));

const STORAGE = new Set(["localStorage", "sessionStorage"]);
const BLOCKED = "Use browser/storage.ts: browsers block storage, and it may be full.";
const CHANNEL = "Use browser/tabs.ts: not every browser has or allows channels.";
const MEMBERS = new Map([
  ["locks", "Use browser/tabs.ts: not every browser has or allows locks."],
  ["randomUUID", "Use browser/random-id.ts: it exists on secure origins only."],
  ["persisted", "Use browser/page-life.ts, which knows all ways in which a page is left and goes on."],
]);

/** What browsers may lack or refuse is used in one place each, which knows what to do then. */
export const refusableInterfaces = rule("What browsers may lack or refuse is used in one place each.", ({ report }) => ({
  Identifier(node) {
    if (STORAGE.has(nameOf(node))) report({ node, message: BLOCKED });
  },
  NewExpression(node) {
    if (nameOf(node["callee"] as Node) === "BroadcastChannel") report({ node, message: CHANNEL });
  },
  MemberExpression(node) {
    const message = MEMBERS.get(nameOf(node["property"] as Node));
    if (message !== undefined) report({ node, message });
  },
}));
