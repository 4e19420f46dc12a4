import { argumentsOf, calledName, nameOf, type Node, rule } from "./syntax.ts";

const WAITS = /^(?:poll|waitFor|waitUntil|find(?:All)?By[A-Z]\w*)$/;
const IMPATIENT =
  "Fails on a slow machine. Leave out the time-out, or pass PATIENCE of domain/test/patience.ts to `vi.waitFor` and `vi.waitUntil`.";

/** A condition has one time limit, the same everywhere. Vitest's `vi.waitFor` and `vi.waitUntil` give up after a second by themselves. */
export const patientWaits = rule("Tests wait for conditions as long as any machine needs.", ({ report }) => ({
  CallExpression(node) {
    if (!WAITS.test(calledName(node))) return;
    const [, ...options] = argumentsOf(node);
    const isLiteral = (option: Node) => option.type === "Literal" && isOfVi(node);
    if (options.some((option) => isLiteral(option) || hasLiteralTimeout(option)) || (options.length === 0 && isOfVi(node)))
      report({ node, message: IMPATIENT });
  },
}));

function isOfVi(call: Node): boolean {
  const callee = call["callee"] as Node;
  return callee.type === "MemberExpression" && nameOf(callee["object"] as Node) === "vi";
}

function hasLiteralTimeout(option: Node): boolean {
  if (option.type !== "ObjectExpression") return false;
  return (option["properties"] as Node[]).some(
    (property) => nameOf(property["key"] as Node | undefined) === "timeout" && (property["value"] as Node).type === "Literal",
  );
}
