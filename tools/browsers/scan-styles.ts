import type { CompatStatement, Identifier } from "@mdn/browser-compat-data";
import { type ChildNode, type Container, type Declaration, parse } from "postcss";
import { compatAt, missingIn, missingInAll, nodeAt, type Use } from "./compat.ts";

const PREFIX = /^-(?:webkit|moz|ms)-/;
const NEW_UNITS: Readonly<Record<string, readonly string[]>> = {
  dvh: ["viewport_percentage_units_dynamic"],
  dvw: ["viewport_percentage_units_dynamic"],
  svh: ["viewport_percentage_units_small"],
  svw: ["viewport_percentage_units_small"],
  lvh: ["viewport_percentage_units_large"],
  lvw: ["viewport_percentage_units_large"],
  cqw: ["container_query_length_units"],
  cqh: ["container_query_length_units"],
  cqi: ["container_query_length_units"],
  cqb: ["container_query_length_units"],
  lh: ["lh"],
  rlh: ["rlh"],
  cap: ["cap"],
  ic: ["ic"],
};

/** Functions of values by name, with everything of this name. */
const functions = new Map<string, CompatStatement[]>();
collectFunctions(nodeAt("css", "types"));

/**
 * What a built stylesheet needs that a browser of the floor lacks: at-rules, selectors, properties, keywords, functions and units.
 * Whatever stands in `@supports`, and a value after one that all browsers have, is guarded.
 */
export function scanStyles(css: string): Use[] {
  const found = new Map<string, string>();
  const add = (feature: string, missing: string | null): void => {
    if (missing !== null) found.set(feature, missing);
  };
  const visit = (node: ChildNode): void => {
    if (node.type === "atrule") {
      if (node.name === "supports") return;
      add(`@${node.name}`, missingIn(compatAt("css", "at-rules", node.name.replace(PREFIX, ""))));
      if (node.name === "media" || node.name === "container") checkQuery(node.name, node.params, add);
    }
    if (node.type === "rule") {
      if (node.parent?.type === "rule") add("nesting", missingIn(compatAt("css", "selectors", "nesting")));
      for (const [shown, name = ""] of node.selector.matchAll(/::?([a-z][\w-]*)/g))
        add(shown, missingIn(compatAt("css", "selectors", name)));
    }
    if (node.type === "decl") checkDeclaration(node, add);
    if ("nodes" in node) for (const child of (node as Container).nodes ?? []) visit(child);
  };
  for (const node of parse(css).nodes) visit(node);
  return [...found].map(([feature, missing]) => ({ feature, missing }));
}

type Add = (feature: string, missing: string | null) => void;

function checkQuery(rule: string, params: string, add: Add): void {
  if (/[<>]/.test(params)) add("@media (range)", missingIn(compatAt("css", "at-rules", "media", "range_syntax")));
  for (const [, feature = ""] of params.matchAll(/\(\s*([a-z-]+)\s*[:)]/g))
    add(`@${rule} (${feature})`, missingIn(compatAt("css", "at-rules", rule, feature)));
}

function checkDeclaration(declaration: Declaration, add: Add): void {
  const { prop } = declaration;
  const custom = prop.startsWith("--");
  const siblings = (declaration.parent?.nodes ?? []).filter(
    (one): one is Declaration => one.type === "decl" && one !== declaration,
  );
  if (!custom && !PREFIX.test(prop)) {
    const prefixes = siblings.flatMap((one) => (one.prop.replace(PREFIX, "") === prop ? (PREFIX.exec(one.prop)?.[0] ?? []) : []));
    add(prop, missingIn(compatAt("css", "properties", prop), prefixes));
    if (siblings.some((one) => one.prop === prop && valueUses(one).length === 0)) return;
  }
  for (const { feature, missing } of valueUses(declaration)) add(feature, missing);
}

function valueUses({ prop, value }: Declaration): Use[] {
  const uses: Use[] = [];
  const add: Add = (feature, missing) => {
    if (missing !== null) uses.push({ feature, missing });
  };
  const bare = value.replaceAll(/url\([^)]*\)|"[^"]*"|'[^']*'/g, "");
  if (!prop.startsWith("--"))
    for (const word of bare.split(/[\s,()/]+/)) {
      const compat = /^[a-z][a-z-]*$/.test(word) ? compatAt("css", "properties", prop, word) : undefined;
      add(`${prop}: ${word}`, missingIn(compat));
    }
  for (const [, name = ""] of bare.matchAll(/(?<![\w-])([a-z][a-z-]*)\(/g)) {
    const providers = functions.get(name);
    if (providers !== undefined) add(`${name}()`, missingInAll(providers));
  }
  if (/\b(?:rgba?|hsla?|hwb|lab|lch|oklab|oklch|color)\(from\b/.test(bare))
    add("relative colours", missingIn(compatAt("css", "types", "color", "rgb", "relative_syntax")));
  for (const [, unit = ""] of bare.matchAll(/(?<![\w#-])[\d.]+([a-z]+)\b/g)) {
    const path = Object.hasOwn(NEW_UNITS, unit) ? NEW_UNITS[unit] : undefined;
    if (path !== undefined) add(`unit ${unit}`, missingIn(compatAt("css", "types", "length", ...path)));
  }
  return uses;
}

function collectFunctions(node: Identifier | undefined): void {
  for (const [name, child] of Object.entries((node ?? {}) as Record<string, Identifier>)) {
    if (name === "__compat") continue;
    if (child.__compat !== undefined) functions.set(name, [...(functions.get(name) ?? []), child.__compat]);
    collectFunctions(child);
  }
}
