import { argumentsOf, calledName, type Node, rule } from "./syntax.ts";

const FLOATS = new Set(["Number", "parseFloat", "parseInt"]);
/** Names of amounts in this code base, as opposed to counts, seconds and percentages. */
const MONEY = /(?:micros|cents|dollars|amount|balance|credit|price)\b/i;
/** A bigint division of money yields a count: of seconds, of minutes, of cents. */
const COUNT = / \/ [\w.]+$/;
const MESSAGE = "Converts money to floating point. Keep bigint micro-dollars; domain/src/money.ts parses and formats them.";

export const noFloatMoney = rule("Money is never floating point.", ({ report, sourceCode }) => {
  const isMoney = (node: Node | undefined) => {
    if (node === undefined) return false;
    const text = sourceCode.getText(node);
    return MONEY.test(text) && !COUNT.test(text);
  };
  return {
    CallExpression(node) {
      if (FLOATS.has(calledName(node)) && isMoney(argumentsOf(node)[0])) report({ node, message: MESSAGE });
    },
    UnaryExpression(node) {
      if (node["operator"] === "+" && isMoney(node["argument"] as Node)) report({ node, message: MESSAGE });
    },
  };
});

const TIMERS = new Set(["setTimeout", "setInterval"]);
const BARE = "The delay needs a name: a constant in UPPER_CASE with its unit, or a parameter.";
const LOST = "Nobody can stop this timer. Keep its handle and clear it, or call .unref() on one that may outlive its owner.";

/**
 * A timer needs a named delay and an end: either its handle is kept (in a variable, field or returned value), or it does not keep the
 * process alive (`.unref()`), or it is a time-out that settles a promise.
 */
export const boundedTimers = rule("Each timer has a named delay and an end.", ({ report }) => ({
  CallExpression(node) {
    if (!TIMERS.has(calledName(node)) || (node["callee"] as Node).type !== "Identifier") return;
    const delay = argumentsOf(node)[1];
    if (delay?.type === "Literal" && Number(delay["value"]) > 0) report({ node: delay, message: BARE });
    if (isLost(node)) report({ node, message: LOST });
  },
}));

function isLost(call: Node): boolean {
  if (call.parent.type === "ExpressionStatement") return !settlesPromise(call);
  const isInterval = calledName(call) === "setInterval";
  return isInterval && call.parent.type === "ArrowFunctionExpression";
}

/** `setTimeout(resolve, …)` */
function settlesPromise(call: Node): boolean {
  const [run] = argumentsOf(call);
  return calledName(call) === "setTimeout" && run?.type === "Identifier" && /^(resolve|reject|settle)$/.test(String(run["name"]));
}
