import type { DeckReportResponse } from "@farline/contract/operator/decks.ts";
import { consoleRequest } from "../console-request.ts";
import { startOf, type Start } from "./start-field.tsx";

/** A million rows take half a minute to read and compare. */
const IMPORT_TIMEOUT_MS = 180_000;
const MAX_FILE_NAME = 80;

/** How a file is to be read, as chosen on the page. */
export interface Reading {
  readonly trunk: string;
  readonly start: Start;
  readonly increments: string;
  readonly dates: "" | "dmy" | "mdy";
  /** What columns mean, by their headers. */
  readonly columns: Readonly<Record<string, string>>;
  /** Lines to leave out. */
  readonly skip: readonly number[];
  readonly newColumns: boolean;
  readonly complete: boolean;
}

export const AS_FOUND: Reading = {
  trunk: "",
  start: { kind: "now", time: "" },
  increments: "",
  dates: "",
  columns: {},
  skip: [],
  newColumns: false,
  complete: false,
};

/**
 * Uploads a price list, compressed, to be read and compared, and to be stored if a reason is given.
 * @throws ApiError
 */
export async function importList(file: File, reading: Reading, reason: string | null): Promise<DeckReportResponse> {
  const { trunk, start, increments, dates, columns, skip, newColumns, complete } = reading;
  const meanings = Object.entries(columns).map(([header, meaning]) => `${header}=${meaning}`);
  const query = {
    file: file.name.slice(-MAX_FILE_NAME),
    store: reason === null ? ("false" as const) : ("true" as const),
    reason: reason ?? undefined,
    trunk: trunk.trim() || undefined,
    effective: startOf(start) ?? undefined,
    increments: increments.trim() || undefined,
    dates: dates || undefined,
    skip: skip.length > 0 ? skip.join(",") : undefined,
    columns: meanings.length > 0 ? meanings.join("\n") : undefined,
    new_columns: newColumns ? ("true" as const) : ("false" as const),
    complete: complete ? ("true" as const) : ("false" as const),
  };
  const body = await compressed(file);
  return consoleRequest("POST /api/operator/decks/import", { query, body, timeoutMs: IMPORT_TIMEOUT_MS });
}

/** The file with gzip, as the service expects it. */
async function compressed(file: File): Promise<Blob> {
  const stream = new Response(file).body!.pipeThrough(new CompressionStream("gzip"));
  return new Response(stream, { headers: { "content-type": "application/gzip" } }).blob();
}
