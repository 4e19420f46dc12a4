import { linkRequest } from "../account-access.ts";
import type { Endpoints } from "../api/endpoint.ts";
import { z } from "zod";
import { instant } from "../values.ts";

/** State of the customer's latest copy of their data. */
const exportState = z.enum(["preparing", "ready", "downloaded", "expired", "failed"]);
export type ExportState = z.infer<typeof exportState>;

const dataExport = z.object({
  state: exportState,
  /** Why there is no file; null unless `failed`. */
  failure: z.enum(["too_large", "broken"]).nullable(),
  requested_at: instant,
  /** When the file is deleted; null unless `ready`. */
  expires_at: instant.nullable(),
  bytes: z.number().int().nullable(),
});
export type DataExport = z.infer<typeof dataExport>;

/**
 * Answer of `GET /api/account/export` and of `POST /api/account/export` (202, after a recent sign-in), which prepares a copy of
 * everything held about the customer. A repeated request while one is prepared changes nothing.
 */
const exportResponse = z.object({ export: dataExport.nullable() });

/** Answer of `POST /api/account/export/ticket` (linkRequest): permission to download the copy within a minute. */
const exportDownloadResponse = z.object({
  /** For `GET /api/account/export/file?ticket=`; single use. */
  ticket: z.string(),
  expires_at: instant,
});
const exportFileQuery = z.object({ ticket: z.string().max(200) });

export const exportEndpoints = {
  "GET /api/account/export": { access: "customer", answer: exportResponse },
  "POST /api/account/export": { access: "step-up", status: 202, answer: exportResponse },
  "POST /api/account/export/ticket": {
    access: "customer",
    body: linkRequest,
    answer: exportDownloadResponse,
    refusals: ["link_expired"],
  },
  "GET /api/account/export/file": {
    access: "visitor",
    query: exportFileQuery,
    file: ["application/zip"],
    refusals: ["link_expired"],
  },
} as const satisfies Endpoints;
