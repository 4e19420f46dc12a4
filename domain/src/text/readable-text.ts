/** No legitimate request is nested more deeply, and traversing one is expensive. */
const MAX_DEPTH = 32;

/** A value in a request that cannot be stored or displayed, and why. */
interface Unreadable {
  /** The field's path, as in a validation error: `/contact/name`. */
  readonly instancePath: string;
  /** Names the text of the refusal. */
  readonly message: "text_unreadable" | "value_too_deep" | "field_unreadable";
}

/**
 * Finds the first text or property name that PostgreSQL cannot store (NUL, lone surrogates), or a value that is nested too deeply. Other
 * control characters can be stored; schemas forbid them where necessary.
 */
export function findUnreadable(value: unknown): Unreadable | null {
  const open = [{ value, instancePath: "", depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { instancePath, depth } = next;
    if (typeof next.value === "string" && !isReadable(next.value)) return { instancePath, message: "text_unreadable" };
    if (typeof next.value !== "object" || next.value === null || ArrayBuffer.isView(next.value)) continue;
    if (depth >= MAX_DEPTH) return { instancePath: "", message: "value_too_deep" };
    for (const [name, inner] of Object.entries(next.value)) {
      if (!isReadable(name)) return { instancePath, message: "field_unreadable" };
      open.push({ value: inner, instancePath: `${instancePath}/${name}`, depth: depth + 1 });
    }
  }
  return null;
}

function isReadable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}
