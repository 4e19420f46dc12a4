import { argumentsOf, calledName, nameOf, type Node, rule } from "./syntax.ts";

const REQUESTS = new Set(["request", "req", "message", "raw"]);
const ADDRESSES = new Set(["url", "originalUrl"]);
const MESSAGE = "Reads the raw URL. Use the router's values: request.routeOptions, request.params, request.query.";

/**
 * A URL has many spellings (`/%61pi`, `//api`), and only the router knows which route each one matches. Code that reads the raw URL may
 * decide differently.
 */
export const noRawUrl = rule("The address of a request is read through the router.", ({ report, sourceCode }) => ({
  MemberExpression(node) {
    const object = node["object"] as Node;
    const owner = object.type === "MemberExpression" ? (object["property"] as Node) : object;
    if (ADDRESSES.has(nameOf(node["property"] as Node)) && REQUESTS.has(nameOf(owner))) report({ node, message: MESSAGE });
  },
  VariableDeclarator(node) {
    const [pattern, from] = [node["id"] as Node, node["init"] as Node | null];
    const owner = from?.type === "MemberExpression" ? (from["property"] as Node) : from;
    if (pattern.type === "ObjectPattern" && REQUESTS.has(nameOf(owner)) && takesAddress(pattern))
      report({ node, message: MESSAGE });
  },
  ObjectPattern(node) {
    const type = node["typeAnnotation"] as Node | null | undefined;
    if (type && takesAddress(node) && /\b(?:FastifyRequest|IncomingMessage)\b/.test(sourceCode.getText(type)))
      report({ node, message: MESSAGE });
  },
}));

function takesAddress(pattern: Node): boolean {
  return (pattern["properties"] as Node[]).some((property) => ADDRESSES.has(nameOf(property["key"] as Node | undefined)));
}

/** Writes of sign-in credentials. A new authenticator is one once it is confirmed. */
const CREDENTIAL_WRITE = /^(?:store|insert|confirm|delete|clear)(?:Password|Email|Authenticator|Passkeys?|Identity|Identities)$/;
const ENTRIES = ["insertSecurityEvent", "recordWithNotice"];
const NO_ENTRY = `Changes a sign-in credential without ${ENTRIES.join(" or ")}: the owner would not be told.`;

/**
 * What changes how a customer signs in must notify the owner. Checked for each function of a file, which may leave it to another one of them:
 * an entry of another verb in the same file is no entry of this one.
 */
export const auditedCredentials = rule("A change of a sign-in credential is recorded.", ({ report }) => {
  const writes: { readonly node: Node; readonly by: string }[] = [];
  const calls = new Map<string, Set<string>>();
  return {
    CallExpression(node) {
      const [by, name] = [nameOf(declarationAround(node)["id"] as Node | undefined), calledName(node)];
      calls.set(by, (calls.get(by) ?? new Set()).add(name));
      if (CREDENTIAL_WRITE.test(name)) writes.push({ node, by });
    },
    "Program:exit"() {
      const recorders = [...calls].filter(([, called]) => ENTRIES.some((entry) => called.has(entry))).map(([by]) => by);
      for (const { node, by } of writes)
        if (![...ENTRIES, ...recorders].some((name) => name === by || calls.get(by)?.has(name) === true))
          report({ node, message: NO_ENTRY });
    },
  };
});

/** The statement of the file in which a node stands. */
function declarationAround(node: Node): Node {
  const { parent } = node;
  return parent.type === "Program" || parent.type.startsWith("Export") ? node : declarationAround(parent);
}

const OWN = "Open it with ctx.transaction(work), which makes sure that an operator's change is recorded.";

/** Kysely's `db.transaction()` is called in one place, `server/src/context.ts`. */
export const contextTransactions = rule("A transaction is opened by the context.", ({ report }) => ({
  CallExpression(node) {
    if (calledName(node) === "transaction" && argumentsOf(node).length === 0) report({ node, message: OWN });
  },
}));

const FLOATS = new Set(["Number", "parseFloat", "parseInt"]);
/** Names of amounts in this code base, as opposed to counts, seconds and percentages. */
const MONEY = /(?:micros|cents|dollars|amount|balance|credit|price)\b/i;
/** A bigint division of money yields a count: of seconds, of minutes, of cents. */
const COUNT = / \/ [\w.]+$/;
const MONEY_MESSAGE = "Converts money to floating point. Keep bigint micro-dollars; domain/src/money.ts parses and formats them.";

export const noFloatMoney = rule("Money is never floating point.", ({ report, sourceCode }) => {
  const isMoney = (node: Node | undefined) => {
    if (node === undefined) return false;
    const text = sourceCode.getText(node);
    return MONEY.test(text) && !COUNT.test(text);
  };
  return {
    CallExpression(node) {
      if (FLOATS.has(calledName(node)) && isMoney(argumentsOf(node)[0])) report({ node, message: MONEY_MESSAGE });
    },
    UnaryExpression(node) {
      if (node["operator"] === "+" && isMoney(node["argument"] as Node)) report({ node, message: MONEY_MESSAGE });
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
