import { AppError } from "./app-error.ts";

/**
 * The position that a list's cursor names by the groups of its pattern; null without a cursor.
 * @throws AppError malformed_request
 */
export function readCursor<Position>(
  cursor: string | undefined,
  pattern: RegExp,
  positionOf: (...groups: string[]) => Position,
): Position | null {
  if (cursor === undefined) return null;
  const found = pattern.exec(cursor);
  if (found === null) throw pageUnknown();
  return positionOf(...found.slice(1));
}

/** The refusal of an invalid cursor. */
export function pageUnknown(): AppError {
  return new AppError("malformed_request", { reason: "page_unknown" });
}
