import { parseSync } from "@swc/core";

/** One way to break a file. */
export interface Fault {
  readonly line: number;
  readonly what: string;
  /** The file's text with the fault. */
  readonly source: string;
}

interface Node {
  readonly type: string;
  readonly span: { readonly start: number; readonly end: number };
  readonly [key: string]: unknown;
}

/** swc's positions count the bytes of everything it has parsed so far; the first statement's position gives the offset. */
const MARK = "0;";
const FLIPS: Readonly<Record<string, string>> = { "<": "<=", "<=": "<", ">": ">=", ">=": ">", "===": "!==", "!==": "===" };
const LEAVES = new Set(["ThrowStatement", "ReturnStatement", "ContinueStatement", "BreakStatement"]);

/** Every guard of a TypeScript file, deleted or inverted: one fault at a time, in file order. */
export function findFaults(source: string): Fault[] {
  const bytes = Buffer.from(source);
  const module = parseSync(MARK + source, { syntax: "typescript", tsx: false, target: "esnext" }) as unknown as Node;
  const [first] = module["body"] as Node[];
  const base = (first?.span.start ?? 0) + MARK.length;
  const from = (node: Node) => node.span.start - base;
  const to = (node: Node) => node.span.end - base;
  const textOf = (node: Node) => bytes.subarray(from(node), to(node)).toString();
  const faults: (Fault & { readonly at: number })[] = [];
  const plant = (node: Node, replacement: string, what: string) => {
    const at = from(node);
    const line = bytes.subarray(0, at).toString().split("\n").length;
    const faulty = Buffer.concat([bytes.subarray(0, at), Buffer.from(replacement), bytes.subarray(to(node))]).toString();
    faults.push({ at, line, what: `${what}: ${textOf(node).replaceAll(/\s+/g, " ").slice(0, 100)}`, source: faulty });
  };
  // Deleted guards are not also inverted, because inverted guards are easier to detect.
  const deleted = new Set<unknown>();
  const picks = new Set<unknown>();
  walk(module, (node) => {
    if (node.type === "ConditionalExpression" && picksOneSide(node, textOf)) picks.add(node["test"]);
    if (node.type === "IfStatement" && node["alternate"] === null && leaves(node["consequent"] as Node)) {
      plant(node, ";", "guard deleted");
      deleted.add(node["test"]);
    }
    if (node.type === "ConditionalExpression") chooseOneSide(node, plant);
    if (node.type === "BinaryExpression" && !picks.has(node)) breakExpression(node, deleted, { plant, textOf });
    if (node.type === "CallExpression") dropWhere(node, { plant, textOf });
  });
  return faults.toSorted((a, b) => a.at - b.at);
}

interface Tools {
  readonly plant: (node: Node, replacement: string, what: string) => void;
  readonly textOf: (node: Node) => string;
}

/** Of `a ? b : c`, one side always; comparisons are changed themselves. */
function chooseOneSide(node: Node, plant: Tools["plant"]): void {
  const test = node["test"] as Node;
  if (test.type === "BinaryExpression") return;
  for (const always of ["true", "false"]) plant(test, always, `always ${always}`);
}

/** Whether it is like `a > b ? a : b`, where the comparison's strictness makes no difference. */
function picksOneSide(node: Node, textOf: (node: Node) => string): boolean {
  const test = node["test"] as Node;
  if (test.type !== "BinaryExpression" || String(test["operator"]).includes("==")) return false;
  const sides = new Set([textOf(test["left"] as Node), textOf(test["right"] as Node)]);
  return sides.has(textOf(node["consequent"] as Node)) && sides.has(textOf(node["alternate"] as Node));
}

function breakExpression(node: Node, deleted: Set<unknown>, { plant, textOf }: Tools): void {
  const operator = String(node["operator"]);
  const [left, right] = [textOf(node["left"] as Node), textOf(node["right"] as Node)];
  if (operator === "&&" || operator === "||") {
    plant(node, `(${left})`, "right side dropped");
    // Each operand of a chain is dropped by itself.
    if ((node["left"] as Node)["operator"] !== operator) plant(node, `(${right})`, "left side dropped");
    deleted.add(node["left"]).add(node["right"]);
  }
  const flipped = FLIPS[operator];
  if (flipped !== undefined && !(operator.includes("==") && deleted.has(node)))
    plant(node, `${left} ${flipped} ${right}`, `${operator} became ${flipped}`);
}

/** Drops a query's condition. */
function dropWhere(node: Node, { plant, textOf }: Tools): void {
  const callee = node["callee"] as Node;
  const property = callee["property"] as Node | undefined;
  if (callee.type === "MemberExpression" && property?.["value"] === "where")
    plant(node, textOf(callee["object"] as Node), "condition dropped");
}

function leaves(node: Node): boolean {
  if (LEAVES.has(node.type)) return true;
  const statements = node.type === "BlockStatement" ? (node["stmts"] as Node[]) : [];
  const last = statements.at(-1);
  return last !== undefined && LEAVES.has(last.type);
}

function walk(value: unknown, visit: (node: Node) => void): void {
  if (Array.isArray(value)) return value.forEach((one) => walk(one, visit));
  if (typeof value !== "object" || value === null) return;
  if ("type" in value && "span" in value) visit(value as Node);
  for (const [key, inner] of Object.entries(value)) if (key !== "span") walk(inner, visit);
}
