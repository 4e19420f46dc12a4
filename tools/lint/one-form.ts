import { nameOf, rule, type Node } from "./syntax.ts";

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

function jsxName(node: unknown): string {
  const { type, name } = node as Node;
  return type === "JSXIdentifier" ? String(name) : nameOf(node as Node);
}
