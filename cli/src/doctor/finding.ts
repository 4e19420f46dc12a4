/** A check's result, in one sentence. */
export interface Finding {
  /** A fault prevents calls or payments; a warning may. */
  readonly level: "ok" | "warning" | "fault";
  readonly text: string;
}

export function ok(text: string): Finding {
  return { level: "ok", text };
}

export function warning(text: string): Finding {
  return { level: "warning", text };
}

export function fault(text: string): Finding {
  return { level: "fault", text };
}

/** The shortest useful description of a connection error: its code, or its message if the code is numeric (SQLSTATE). */
export function reasonOf(error: unknown): string {
  const { code, cause, message, name } = error as { code?: unknown; cause?: unknown; message?: string; name?: string };
  if (name === "AbortError" || name === "TimeoutError") return "no answer in time";
  if (typeof code === "string" && !/^\d/.test(code)) return code;
  if (cause instanceof Error) return reasonOf(cause);
  return (message ?? String(error)).replace(/\.$/, "");
}
