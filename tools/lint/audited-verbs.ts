import { argumentsOf, calledName, nameOf, rule, type Node } from "./syntax.ts";

/** Writes of what a customer signs in with. */
const CREDENTIAL_WRITE =
  /^(?:store|insert|delete|clear)(?:Password|Email|NewAuthenticator|Authenticator|Passkeys?|Identity|Identities)$/;
const ENTRY = "insertSecurityEvent";
const NO_ENTRY = `Changes what a customer signs in with, and writes no ${ENTRY}: the owner would not learn of it.`;

/** A verb that changes how a customer signs in tells the owner so. Judged by file, because a verb is a file. */
export const auditedCredentials = rule("A change of what a customer signs in with is written down.", ({ report }) => {
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
const NO_OPERATOR = "Changes something without naming its operator: pass { operator, reason }, which the verb writes down.";

/** A command that changes something hands the operator's name to the verb. */
export const auditedCommands = rule("What an operator changes is written down with their name.", ({ report }) => {
  const verbs = new Set<string>();
  return {
    ImportDeclaration(node) {
      if (!String((node["source"] as Node)["value"]).startsWith("@farline/server/")) return;
      for (const one of node["specifiers"] as Node[]) verbs.add(nameOf(one["local"] as Node));
    },
    CallExpression(node) {
      const name = calledName(node);
      const [parts, ...order] = argumentsOf(node);
      if (!verbs.has(name) || READS.test(name) || nameOf(parts) !== "parts") return;
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
