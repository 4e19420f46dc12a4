import { argumentsOf, calledName, nameOf, type Node, rule } from "./syntax.ts";

const REQUESTS = new Set(["request", "req", "message", "raw"]);
const ADDRESSES = new Set(["url", "originalUrl"]);
const MESSAGE = "Reads the raw URL. Use the router's values: request.routeOptions, request.params, request.query.";

/**
 * A URL has many spellings (`/%61pi`, `//api`), and only the router knows which route each one matches. Code that reads the raw URL may
 * decide differently.
 */
export const noRawUrl = rule("The address of a request is read through the router.", ({ report }) => ({
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
}));

function takesAddress(pattern: Node): boolean {
  return (pattern["properties"] as Node[]).some((property) => ADDRESSES.has(nameOf(property["key"] as Node | undefined)));
}

/** Writes of sign-in credentials. */
const CREDENTIAL_WRITE =
  /^(?:store|insert|delete|clear)(?:Password|Email|NewAuthenticator|Authenticator|Passkeys?|Identity|Identities)$/;
const ENTRY = "insertSecurityEvent";
const NO_ENTRY = `Changes a sign-in credential without ${ENTRY}: the owner would not be told.`;

/** A verb that changes how a customer signs in must notify the owner. Checked per file, because each verb has its own file. */
export const auditedCredentials = rule("A change of a sign-in credential is recorded.", ({ report }) => {
  const writes: Node[] = [];
  let hasEntry = false;
  return {
    CallExpression(node) {
      const name = calledName(node);
      if (name === ENTRY) hasEntry = true;
      if (CREDENTIAL_WRITE.test(name)) writes.push(node);
    },
    "Program:exit"() {
      if (!hasEntry) for (const node of writes) report({ node, message: NO_ENTRY });
    },
  };
});

const OWN = "Open it with ctx.transaction(work), which makes sure that an operator's change is recorded.";

/** Kysely's `db.transaction()` is called in one place, `server/src/context.ts`. */
export const contextTransactions = rule("A transaction is opened by the context.", ({ report }) => ({
  CallExpression(node) {
    if (calledName(node) === "transaction" && argumentsOf(node).length === 0) report({ node, message: OWN });
  },
}));
