import { argumentsOf, calledName, rule } from "./syntax.ts";

const OWN = "Open it with ctx.transaction(work), which makes sure that an operator's change is recorded.";

/** Kysely's `db.transaction()` is called in one place, `server/src/context.ts`. */
export const contextTransactions = rule("A transaction is opened by the context.", ({ report }) => ({
  CallExpression(node) {
    if (calledName(node) === "transaction" && argumentsOf(node).length === 0) report({ node, message: OWN });
  },
}));
