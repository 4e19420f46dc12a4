import type { DeckReportResponse, ListKind } from "@farline/contract/operator/decks.ts";
import { ApiError } from "../../service/http.ts";
import { consoleFile, consoleRequest } from "../console-request.ts";
import { NOT_CHOSEN, type Start, startOf } from "./start-field.tsx";

const MAX_FILE_NAME = 80;

/** How a file is to be read, as chosen on the page. */
export interface Reading {
  /** "" until it is chosen. */
  readonly kind: ListKind | "";
  readonly trunk: string;
  /** The name of a trunk without a price list, once more. */
  readonly newTrunk: string;
  /** The list is of this kind although its words say otherwise. */
  readonly kindSure: boolean;
  readonly start: Start;
  readonly increments: string;
  readonly dates: "" | "dmy" | "mdy";
  /** What columns mean, by their headers. */
  readonly columns: Readonly<Record<string, string>>;
  /** Lines to leave out. */
  readonly skip: readonly number[];
  /** Words whose bad rows are left out, such as `price_form=closed`. */
  readonly skipWords: readonly string[];
  readonly newColumns: boolean;
  readonly complete: boolean;
}

export const AS_FOUND: Reading = {
  kind: "",
  trunk: "",
  newTrunk: "",
  kindSure: false,
  start: NOT_CHOSEN,
  increments: "",
  dates: "",
  columns: {},
  skip: [],
  skipWords: [],
  newColumns: false,
  complete: false,
};

/** What belongs to one file only, as it is for the next one. */
export const NEXT_FILE: Partial<Reading> = {
  skip: [],
  skipWords: [],
  columns: {},
  newColumns: false,
  complete: false,
  kindSure: false,
  newTrunk: "",
};

/** What must be said before a file is read, as a sentence; null if nothing is missing. */
export function missingIn({ kind, trunk, start }: Reading): string | null {
  if (kind === "") return "Say what the list prices.";
  if (kind === "trunk" && trunk.trim() === "") return "Write the name of the trunk.";
  if (start.kind === "") return "Say from when it is active.";
  return start.kind === "time" && start.time === "" ? "Enter the time from which it is active." : null;
}

/** Stores a list as a report showed it. */
interface Storing {
  readonly preview: string;
  readonly reason: string;
}

/**
 * Uploads a price list, compressed, to be read and compared, or to be stored as it was shown.
 * @throws ApiError
 */
export async function importList(file: File, reading: Reading, storing: Storing | null): Promise<DeckReportResponse> {
  const missing = missingIn(reading);
  if (missing !== null) throw new ApiError(422, "validation_failed", missing);
  const query = {
    ...howToRead(reading),
    new_trunk: reading.newTrunk.trim() || undefined,
    kind_sure: flag(reading.kindSure),
    file: file.name.slice(-MAX_FILE_NAME),
    preview: storing?.preview,
    reason: storing?.reason,
    new_columns: flag(reading.newColumns),
    complete: flag(reading.complete),
  };
  const body = await compressed(file);
  return consoleRequest("POST /api/operator/decks/import", { query, body, typed: true });
}

/**
 * Uploads a price list that was read like this, for a file of all its rows that cannot be used.
 * @throws ApiError
 */
export async function readBadRows(file: File, reading: Reading): Promise<Blob> {
  const options = { query: howToRead(reading), body: await compressed(file) };
  return consoleFile("POST /api/operator/decks/bad-rows", options);
}

function howToRead({ kind, trunk, start, increments, dates, columns, skip, skipWords }: Reading) {
  const meanings = Object.entries(columns).map(([header, meaning]) => `${header}=${meaning}`);
  return {
    kind: kind as ListKind,
    trunk: kind === "trunk" ? trunk.trim() : undefined,
    effective: startOf(start).at ?? undefined,
    increments: increments.trim() || undefined,
    dates: dates || undefined,
    skip: skip.length > 0 ? skip.join(",") : undefined,
    skip_words: skipWords.length > 0 ? skipWords.join("\n") : undefined,
    columns: meanings.length > 0 ? meanings.join("\n") : undefined,
  };
}

function flag(isSet: boolean): "true" | "false" {
  return isSet ? "true" : "false";
}

/** The file with gzip, as the service expects it. */
async function compressed(file: File): Promise<Blob> {
  const stream = new Response(file).body!.pipeThrough(new CompressionStream("gzip"));
  return new Response(stream, { headers: { "content-type": "application/gzip" } }).blob();
}
