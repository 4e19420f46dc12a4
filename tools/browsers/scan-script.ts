import { type AnyNode, type Expression, type MemberExpression, parse, type Super } from "acorn";
import { full } from "acorn-walk";
import type { CompatStatement, Identifier } from "@mdn/browser-compat-data";
import { compatAt, compatData, missingIn, missingInAll, nodeAt, type Use } from "./compat.ts";

/** Every browser of the floor has all syntax of ES2022; what came later fails to parse, and with it the whole file. */
const SYNTAX = 2022;
/** Methods that give iterators. */
const ITERATORS = new Set(["values", "keys", "entries", "matchAll"]);
const builtins = ["javascript", "builtins"] as const;

/** Methods by name, with every class and interface that has one of this name. */
const methods = new Map<string, CompatStatement[]>();
for (const group of [compatData.javascript.builtins as Identifier, compatData.api])
  for (const members of Object.values(group) as Identifier[])
    for (const [name, member] of Object.entries(members as Record<string, Identifier>))
      if (name !== "__compat" && member.__compat !== undefined)
        methods.set(name, [...(methods.get(name) ?? []), member.__compat]);

/** The property names that scripts define themselves, whose calls say nothing about the browser. */
export function ownNames(codes: readonly string[]): ReadonlySet<string> {
  const names = new Set<string>();
  for (const code of codes)
    full(parseLatest(code), (one) => {
      if (one.type === "Property" || one.type === "MethodDefinition" || one.type === "PropertyDefinition")
        if (one.key.type === "Identifier" && one.value !== null) {
          names.add(one.key.name);
          // Compiled classes define methods by a list of keys and values.
          if (one.key.name === "key") names.add(textOf(one.value as Expression) ?? "");
        }
      if (one.type === "AssignmentExpression" && one.left.type === "MemberExpression") names.add(nameOf(one.left));
    });
  return names;
}

/**
 * What a built script needs that a browser of the floor lacks: syntax, globals, static methods, constructors, and methods of instances
 * where the name says enough. Optional calls and names after `typeof` are guarded.
 * @param own names of the product's own methods (`ownNames`)
 */
export function scanScript(code: string, own: ReadonlySet<string> = new Set()): Use[] {
  try {
    parse(code, { ecmaVersion: SYNTAX, sourceType: "module" });
  } catch (error) {
    return [{ feature: `syntax after ES${SYNTAX}`, missing: (error as Error).message }];
  }
  const found = new Map<string, string>();
  const add = (feature: string, missing: string | null): void => {
    if (missing !== null) found.set(feature, missing);
  };
  const tree = parseLatest(code);
  const guarded = new Set([...[...code.matchAll(/\btypeof (\w+)\b/g)].map(([, name]) => name), ...declaredIn(tree)]);
  full(tree, (one) => {
    if (one.type === "NewExpression") {
      const name = calleeName(one.callee);
      if (name !== null && !guarded.has(name)) add(`new ${name}`, missingIn(constructorOf(name)));
      if (name === "RegExp") add("regular expression", patternFault(one.arguments as Expression[]));
    }
    if (one.type === "MemberExpression" && one.object.type === "Identifier" && !guarded.has(one.object.name))
      add(one.object.name, missingIn(compatAt("api", "Window", one.object.name)));
    if (one.type !== "CallExpression" || one.optional) return;
    if (one.callee.type === "Identifier" && !guarded.has(one.callee.name)) {
      const { name } = one.callee;
      if (name === "RegExp") add("regular expression", patternFault(one.arguments as Expression[]));
      add(`${name}()`, missingIn(compatAt("api", name) ?? compatAt("api", "Window", name)));
    }
    if (one.callee.type === "MemberExpression") checkMember(one.callee, own, add);
  });
  return [...found].map(([feature, missing]) => ({ feature, missing }));
}

/** Names that the script itself declares are no globals. */
function declaredIn(tree: AnyNode): string[] {
  const names: string[] = [];
  full(tree, (one) => {
    if (one.type === "FunctionDeclaration" || one.type === "ClassDeclaration") names.push(one.id?.name ?? "");
    if (one.type === "VariableDeclarator" && one.id.type === "Identifier") names.push(one.id.name);
    if (one.type === "ImportSpecifier") names.push(one.local.name);
  });
  return names;
}

function checkMember(
  callee: MemberExpression,
  own: ReadonlySet<string>,
  add: (feature: string, missing: string | null) => void,
): void {
  const method = nameOf(callee);
  const holder = calleeName(callee.object);
  if (holder !== null) {
    const compat = compatAt(...builtins, ...holder.split("."), method) ?? compatAt("api", holder, `${method}_static`);
    if (compat !== undefined) return add(`${holder}.${method}()`, missingIn(compat));
  }
  if (isIterator(callee.object)) add(`Iterator.${method}()`, missingIn(compatAt(...builtins, "Iterator", method)));
  const providers = methods.get(method);
  if (providers !== undefined && !own.has(method)) add(`.${method}()`, missingInAll(providers));
}

/** The `.values()` of something, and the like: its methods are those of iterators. Names, of `Object`, give arrays. */
function isIterator(node: Expression | Super): boolean {
  if (node.type !== "CallExpression" || node.callee.type !== "MemberExpression") return false;
  const { object } = node.callee;
  return ITERATORS.has(nameOf(node.callee)) && !(object.type === "Identifier" && object.name === "Object");
}

/** `Map`, `Intl.Segmenter`, also by `window` or `globalThis`; null for anything else than a global's name. */
function calleeName(node: Expression | Super): string | null {
  if (node.type === "Identifier") return node.name;
  if (node.type !== "MemberExpression" || node.object.type !== "Identifier") return null;
  const { name } = node.object;
  if (name === "window" || name === "globalThis" || name === "self") return nameOf(node);
  return name === "Intl" ? `Intl.${nameOf(node)}` : null;
}

function constructorOf(name: string): CompatStatement | undefined {
  const node = nodeAt("api", name) ?? nodeAt(...builtins, ...name.split("."));
  return node?.[name.split(".").at(-1) ?? ""]?.__compat ?? node?.__compat;
}

/** A pattern written as text is parsed when it runs, so that a newer one fails there. */
function patternFault([pattern, flags]: readonly Expression[]): string | null {
  const text = textOf(pattern) ?? "a";
  try {
    parse(`/${text.replaceAll(/\\[^]|\//g, (one) => (one === "/" ? "\\/" : one)) || "(?:)"}/${textOf(flags) ?? ""}`, {
      ecmaVersion: SYNTAX,
    });
    return null;
  } catch (error) {
    return (error as Error).message;
  }
}

function textOf(node: Expression | undefined): string | null {
  if (node?.type === "Literal" && typeof node.value === "string") return node.value;
  return node?.type === "TemplateLiteral" && node.quasis.length === 1 ? (node.quasis[0]?.value.cooked ?? null) : null;
}

function nameOf({ property, computed }: MemberExpression): string {
  if (!computed && property.type === "Identifier") return property.name;
  return property.type === "Literal" && typeof property.value === "string" ? property.value : "";
}

function parseLatest(code: string): AnyNode {
  return parse(code, { ecmaVersion: "latest", sourceType: "module" });
}
