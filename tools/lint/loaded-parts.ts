import { calledName, rule, type Node } from "./syntax.ts";

const MESSAGE = "Load it with loadPart or optionalPart of session/load-part.ts: after a deployment the file may be gone.";
const LOADERS = new Set(["loadPart", "optionalPart", "page", "listPage", "part"]);

/** Parts of the app are loaded in one way, so that a page of a former release loads itself again instead of failing. */
export const loadedParts = rule("Parts of the app are loaded through loadPart.", ({ report }) => ({
  ImportExpression(node) {
    for (let above: Node | null = node.parent; above !== null; above = above.parent)
      if (above.type === "CallExpression" && LOADERS.has(calledName(above))) return;
    report({ node, message: MESSAGE });
  },
}));
