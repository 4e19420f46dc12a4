import { isUuid } from "@farline/domain/uuid.ts";
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

/** The id that is the cursor of a list by ids. @throws AppError malformed_request */
export function readIdCursor(cursor: string | undefined): string | undefined {
  if (cursor !== undefined && !isUuid(cursor)) throw pageUnknown();
  return cursor;
}

/** A page of a list of which one row more was read than the page shows. The next page's cursor is null on the last page. */
export function pageOf<Row>(
  rows: readonly Row[],
  limit: number,
  cursorOf: (last: Row) => string,
): { readonly shown: Row[]; readonly next: string | null } {
  const shown = rows.slice(0, limit);
  const last = rows.length > limit ? shown.at(-1) : undefined;
  return { shown, next: last === undefined ? null : cursorOf(last) };
}

/** The refusal of an invalid cursor. */
export function pageUnknown(): AppError {
  return new AppError("malformed_request", { reason: "page_unknown" });
}
