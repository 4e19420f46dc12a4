import { argumentsOf, calledName, rule, type Node } from "./syntax.ts";

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
