import { argumentsOf, calledName, nameOf, rule, type Node } from "./syntax.ts";

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

const READS = /^(?:read|list|open|latest|find|reconcile)/;
const NO_OPERATOR = "Changes something without naming its operator: pass { operator, reason }, which the verb records.";

/** A command that changes something passes the operator's name to the verb. */
export const auditedCommands = rule("An operator's change is recorded with their name.", ({ report }) => {
  const verbs = new Set<string>();
  return {
    ImportDeclaration(node) {
      if (!String((node["source"] as Node)["value"]).startsWith("@farline/server/")) return;
      for (const one of node["specifiers"] as Node[]) verbs.add(nameOf(one["local"] as Node));
    },
    CallExpression(node) {
      const name = calledName(node);
      const [deps, ...order] = argumentsOf(node);
      if (!verbs.has(name) || READS.test(name) || nameOf(deps) !== "deps") return;
      if (!order.some(namesOperator)) report({ node, message: NO_OPERATOR });
    },
  };
});

function namesOperator(order: Node): boolean {
  return (
    order.type === "ObjectExpression" &&
    (order["properties"] as Node[]).some((property) => nameOf(property["key"] as Node | undefined) === "operator")
  );
}
