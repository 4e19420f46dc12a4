import { calledName, nameOf, type Node, rule } from "./syntax.ts";

const BESIDE =
  "Text next to other children needs its own element, such as <span>: a browser's translation replaces text nodes, and React then fails to move or remove them.";
const LOOSE = "Text in a fragment or in a component that may render it next to other children needs its own element.";

const RETURNED = "A component returns an element, not text, because its parent may render it next to other children.";

/** Components that render their children as the only content of an element; the last two are variables for a heading's tag. */
const TEXT_HOLDERS = new Set(["Banner", "Button", "ButtonLink", "Link", "NavLink", "Title", "Heading"]);

/** Calls that return elements. */
const ELEMENT_CALLS = new Set(["map", "flatMap", "from", "createElement", "children"]);

/**
 * Each text must be the only child of its element, so that React updates it through the element instead of the text node, which a
 * browser's translation may have replaced (`<font>`).
 */
export const ownTextElement = rule("Each text is the only child of an element.", ({ report, sourceCode }) => {
  /** Names of properties and variables of this file that are elements, never text. */
  const elements = new Set<string>();
  const found: { node: Node; name: string; message: string }[] = [];

  function check(parent: Node): void {
    const kids = (parent["children"] as Node[]).filter((kid) => !isIgnored(kid));
    const isAlone = kids.length < 2;
    if (isAlone && parent.type !== "JSXFragment" && !isForeignComponent(parent)) return;
    const message = isAlone ? LOOSE : BESIDE;
    for (const kid of kids) {
      const holder = kid.type === "JSXExpressionContainer" ? (kid["expression"] as Node) : kid;
      for (const text of textsOf(holder, parent)) {
        if (!isAlone || isSurelyText(text)) found.push({ node: text, name: lastName(text), message });
      }
    }
  }

  return {
    JSXElement: check,
    JSXFragment: check,
    TSPropertySignature(node) {
      if (/\b(?:React)?Element\b/.test(sourceCode.getText(node))) elements.add(nameOf(node["key"] as Node));
    },
    ReturnStatement(node) {
      const value = node["argument"] as Node | null;
      if (value === null || !isInComponent(node)) return;
      for (const text of textsOf(value, node)) if (isSurelyText(text)) report({ node: text, message: RETURNED });
    },
    VariableDeclarator(node) {
      const value = node["init"] as Node | null;
      if (value !== null && textsOf(value, node).length === 0) elements.add(nameOf(node["id"] as Node));
    },
    "Program:exit"() {
      for (const { node, name, message } of found) if (!elements.has(name)) report({ node, message });
    },
  };
});

/** The parts of an expression that may render as text. */
function textsOf(node: Node, parent: Node): readonly Node[] {
  const field = (name: string): readonly Node[] => textsOf(node[name] as Node, parent);
  switch (node.type) {
    case "JSXElement":
    case "JSXFragment":
      return [];
    case "Literal":
      return node["value"] === null || typeof node["value"] === "boolean" || isSpace(node["value"]) ? [] : [node];
    case "LogicalExpression":
      return node["operator"] === "&&" ? field("right") : [...field("left"), ...field("right")];
    case "ConditionalExpression":
      return [...field("consequent"), ...field("alternate")];
    case "ParenthesizedExpression":
    case "TSAsExpression":
    case "TSNonNullExpression":
      return field("expression");
    case "CallExpression":
      return ELEMENT_CALLS.has(calledName(node)) ? [] : [node];
    case "Identifier":
      return node["name"] === "undefined" || (lastName(node) === "children" && !isInTextHolder(parent)) ? [] : [node];
    case "ArrowFunctionExpression":
      return [];
    default:
      return [node];
  }
}

/** A literal, a template, or a translation. */
function isSurelyText(node: Node): boolean {
  if (node.type === "CallExpression") return /^t$|^(?:format|write)|Text$/.test(calledName(node));
  return node.type === "JSXText" || node.type === "Literal" || node.type === "TemplateLiteral";
}

function lastName(node: Node): string {
  return nameOf(node.type === "MemberExpression" ? (node["property"] as Node) : node);
}

function isSpace(value: unknown): boolean {
  return typeof value === "string" && value.trim() === "";
}

function isIgnored(kid: Node): boolean {
  if (kid.type === "JSXText") return isSpace(kid["value"]);
  return kid.type === "JSXExpressionContainer" && (kid["expression"] as Node).type === "JSXEmptyExpression";
}

/** A component that is not known to render text safely. */
function isForeignComponent(element: Node): boolean {
  const name = element["openingElement"] === undefined ? null : ((element["openingElement"] as Node)["name"] as Node);
  const text = name?.type === "JSXIdentifier" ? String(name["name"]) : "";
  return /^[A-Z]/.test(text) && !TEXT_HOLDERS.has(text);
}

function isInTextHolder(node: Node): boolean {
  return TEXT_HOLDERS.has(functionAround(node));
}

function isInComponent(node: Node): boolean {
  return /^[A-Z]/.test(functionAround(node));
}

/** The name of the enclosing function; empty if it has none. */
function functionAround(node: Node): string {
  for (let at: Node | null = node; at; at = at.parent) {
    if (at.type === "FunctionDeclaration") return nameOf(at["id"] as Node);
    if (at.type === "ArrowFunctionExpression" || at.type === "FunctionExpression") return "";
  }
  return "";
}

const FORM = "Use <Form> of ui/forms/form.tsx: it reads fields that password managers and autofill fill without an event.";
const FIELD = "A field whose value is state takes `onValue`, so that its form can read it.";

/** Only `Form` handles the submission of a form element, so that no form forgets fields that were filled without an event. */
export const oneForm = rule("Forms are submitted through the component Form.", ({ report }) => ({
  JSXOpeningElement(node) {
    const element = jsxName(node["name"]);
    const attributes = node["attributes"] as Node[];
    const has = (name: string): boolean => attributes.some((one) => one.type === "JSXAttribute" && jsxName(one["name"]) === name);
    const spreads = attributes.some(({ type }) => type === "JSXSpreadAttribute");
    if (element === "form" && (spreads || has("onSubmit"))) report({ node, message: FORM });
    if (element === "Field" && has("value") && has("onChange")) report({ node, message: FIELD });
  },
}));

const UNFILLED = 'Say what a browser may fill in: autoComplete="email", or "off". Without it, it guesses.';
/** Inputs that browsers don't fill in. */
const NOT_TYPED = /^"(checkbox|radio|file|range|hidden)"$/;

/** Each text field names what may be filled in, so that addresses, codes and passwords reach the right ones and no others. */
export const namedAutofill = rule("Text fields have autoComplete.", ({ report, sourceCode }) => ({
  JSXOpeningElement(node) {
    const element = jsxName(node["name"]);
    if (element !== "input" && element !== "textarea") return;
    const attributes = (node["attributes"] as Node[]).filter(({ type }) => type === "JSXAttribute");
    const type = attributes.find((one) => jsxName(one["name"]) === "type")?.["value"] as Node | undefined;
    if (type !== undefined && NOT_TYPED.test(sourceCode.getText(type))) return;
    if (!attributes.some((one) => jsxName(one["name"]) === "autoComplete")) report({ node, message: UNFILLED });
  },
}));

function jsxName(node: unknown): string {
  const { type, name } = node as Node;
  return type === "JSXIdentifier" ? String(name) : nameOf(node as Node);
}
