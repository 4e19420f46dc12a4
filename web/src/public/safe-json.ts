/** JSON that is safe inside a script element: it can neither close the element nor start a comment. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}
