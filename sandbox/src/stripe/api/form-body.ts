/** Stripe's request encoding: `a[b][0][c]=1` in bodies and queries; all values are text (docs.stripe.com/api, "Nested parameters"). */

type FormValue = string | FormObject | FormValue[];
export interface FormObject {
  [name: string]: FormValue;
}

const MAX_PAIRS = 500;
const MAX_DEPTH = 8;
const MAX_ARRAY = 100;
const FORBIDDEN = new Set(["__proto__", "constructor", "prototype"]);

/** The text is not a form, or is larger or more deeply nested than any real request. */
export class FormError extends Error {}

/**
 * Decodes a form or query string.
 * @throws FormError with a message for the caller
 */
export function decodeForm(text: string): FormObject {
  const root: FormObject = {};
  let pairs = 0;
  for (const [key, value] of new URLSearchParams(text)) {
    if (++pairs > MAX_PAIRS) throw new FormError(`A request may have ${MAX_PAIRS} parameters at most.`);
    const path = pathOf(key);
    if (!path.some((name) => FORBIDDEN.has(name))) put(root, path, value);
  }
  return arraysIn(root) as FormObject;
}

function pathOf(key: string): string[] {
  const match = /^([^[\]]+)((?:\[[^[\]]*\])*)$/.exec(key);
  if (!match) throw new FormError(`Invalid parameter name: ${key.slice(0, 80)}`);
  const inner = [...(match[2] as string).matchAll(/\[([^[\]]*)\]/g)].map((part) => part[1] as string);
  if (inner.length >= MAX_DEPTH) throw new FormError("Parameters are nested too deeply.");
  return [match[1] as string, ...inner];
}

function put(root: FormObject, path: readonly string[], value: string): void {
  let at = root;
  path.forEach((name, depth) => {
    const key = name === "" ? String(Object.keys(at).length) : name;
    if (depth === path.length - 1) at[key] = value;
    else {
      const next = at[key] ?? (at[key] = {});
      if (typeof next === "string") throw new FormError(`Invalid parameter name: ${path.join(".").slice(0, 80)}`);
      at = next as FormObject;
    }
  });
}

/** Turns objects whose keys are 0, 1, 2 … into lists. */
function arraysIn(value: FormValue): FormValue {
  if (typeof value === "string" || Array.isArray(value)) return value;
  const names = Object.keys(value);
  const isList = names.length > 0 && names.every((name) => /^\d{1,3}$/.test(name));
  if (isList && names.length > MAX_ARRAY) throw new FormError(`A list may have ${MAX_ARRAY} entries at most.`);
  for (const name of names) value[name] = arraysIn(value[name] as FormValue);
  return isList ? names.toSorted((a, b) => Number(a) - Number(b)).map((name) => value[name] as FormValue) : value;
}
