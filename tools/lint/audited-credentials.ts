import { calledName, rule, type Node } from "./syntax.ts";

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
