import { argumentsOf, calledName, nameOf, rule, type Node } from "./syntax.ts";

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
