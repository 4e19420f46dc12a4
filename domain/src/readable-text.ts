/** No legitimate request is nested deeper, and walking deeper values is expensive. */
const MAX_DEPTH = 32;

/** Where a request holds what cannot be stored or shown, and why. */
export interface Unreadable {
  /** The field's path, as in a validation error: `/contact/name`. */
  readonly instancePath: string;
  readonly message: string;
}

/**
 * Finds the first text that PostgreSQL cannot store (NUL, half a surrogate pair), in values and names alike, or a value that
 * is nested too deep. Other control characters are storable; the fields that forbid them say so in their schema.
 */
export function findUnreadable(value: unknown): Unreadable | null {
  const open = [{ value, instancePath: "", depth: 0 }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { instancePath, depth } = next;
    if (typeof next.value === "string" && !isReadable(next.value))
      return { instancePath, message: "This text has characters that cannot be read." };
    if (typeof next.value !== "object" || next.value === null || ArrayBuffer.isView(next.value)) continue;
    if (depth >= MAX_DEPTH) return { instancePath: "", message: "This value is nested too deep." };
    for (const [name, inner] of Object.entries(next.value)) {
      if (!isReadable(name)) return { instancePath, message: "A field's name has characters that cannot be read." };
      open.push({ value: inner, instancePath: `${instancePath}/${name}`, depth: depth + 1 });
    }
  }
  return null;
}

function isReadable(text: string): boolean {
  return text.isWellFormed() && !text.includes("\0");
}
