import { nameOf, rule, type Node } from "./syntax.ts";

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
