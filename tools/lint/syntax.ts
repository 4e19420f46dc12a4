/** A node of the syntax tree (ESTree), as far as the rules use it. */
export interface Node {
  readonly type: string;
  readonly range: readonly [number, number];
  readonly parent: Node;
  readonly [field: string]: unknown;
}

export interface Rule {
  readonly meta: { readonly type: "problem"; readonly docs: { readonly description: string } };
  create(context: RuleContext): Record<string, (node: Node) => void>;
}

interface RuleContext {
  readonly sourceCode: { getText(node: Node): string };
  report(problem: { node: Node; message: string }): void;
}

/** The name of the called function: `f` of `f()`, `m` of `a.m()`. */
export function calledName(call: Node): string {
  const callee = call["callee"] as Node;
  return nameOf(callee.type === "MemberExpression" ? (callee["property"] as Node) : callee);
}

export function argumentsOf(call: Node): readonly Node[] {
  return call["arguments"] as Node[];
}

export function nameOf(node: Node | null | undefined): string {
  return node?.type === "Identifier" ? (node["name"] as string) : "";
}

export function rule(description: string, create: Rule["create"]): Rule {
  return { meta: { type: "problem", docs: { description } }, create };
}
