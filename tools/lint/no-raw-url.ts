import { nameOf, rule, type Node } from "./syntax.ts";

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
