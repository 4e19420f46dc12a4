import type { z } from "zod";
import type { ErrorCode } from "./error-codes.ts";
import { needsProof, type OperatorRight } from "../operator/rights.ts";
import type { RouteAccess } from "./route-access.ts";

/**
 * One endpoint of the service, declared once. The service's handler, the web app's request, the OpenAPI document and the tests
 * all read this declaration. Parameters are the `:names` in its path; they are strings.
 */
export type Endpoint = Access & Shape;

/** Who may call it. */
type Access =
  | { readonly access: Exclude<RouteAccess, "operator">; readonly right?: never }
  | { readonly access: "operator"; readonly right: OperatorRight };

interface Shape {
  readonly query?: z.ZodObject;
  /** Of the JSON body. */
  readonly body?: z.ZodType;
  /** The body is read as raw bytes, because it is a file or because a signature covers it; a compressed file as a stream. */
  readonly raw?:
    | { readonly type: "multipart/form-data" | "application/gzip" | "application/x-www-form-urlencoded" }
    | { readonly type: "application/json"; readonly signature: string };
  /** Of the JSON answer. Without an answer, a file or events, the endpoint answers 204. */
  readonly answer?: z.ZodType;
  /** Media types of a download. */
  readonly file?: readonly string[];
  /** The data of each server-sent event. */
  readonly events?: z.ZodType;
  /** 200 with an answer and 204 without one, unless declared. 302 leads to a page. */
  readonly status?: 201 | 202 | 302;
  /** In addition to `commonRefusals` for its access and input. */
  readonly refusals?: readonly ErrorCode[];
}

type Method = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/** Endpoints by name: method and path, as in `GET /api/contacts/:id`. */
export type Endpoints = Readonly<Record<`${Method} /api/${string}`, Endpoint>>;

/** The names of the parameters in a path. */
export type PathParameters<Path extends string> = Path extends `${string}:${infer Name}/${infer Rest}`
  ? Name | PathParameters<Rest>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never;

/** The status of a successful answer. */
export function statusOf(endpoint: Endpoint): 200 | 201 | 202 | 204 | 302 {
  const hasContent = endpoint.answer !== undefined || endpoint.file !== undefined || endpoint.events !== undefined;
  return endpoint.status ?? (hasContent ? 200 : 204);
}

/** Refusals of every endpoint: malformed, cross-site or rate-limited requests, and internal errors. */
const ALWAYS: readonly ErrorCode[] = ["malformed_request", "forbidden", "rate_limited", "internal", "unavailable"];

/** The refusals that follow from an endpoint's access and input. */
function commonRefusals({ access, right, query, body, raw }: Endpoint): readonly ErrorCode[] {
  const refusals: ErrorCode[] = [...ALWAYS];
  if (access === "customer" || access === "step-up" || access === "step-up-when") refusals.push("unauthenticated");
  if (access === "step-up" || access === "step-up-when") refusals.push("reauth_required");
  if (access === "provider") refusals.push("bad_signature");
  if (access === "operator") refusals.push("unauthenticated", ...(needsProof(right) ? (["reauth_required"] as const) : []));
  if (access === "monitor") refusals.push("not_found");
  if (query !== undefined || body !== undefined || raw !== undefined) refusals.push("validation_failed");
  if (body !== undefined || raw !== undefined) refusals.push("body_too_large", "unsupported_media_type");
  return refusals;
}

/** Every refusal of an endpoint. */
export function refusalsOf(endpoint: Endpoint): ReadonlySet<ErrorCode> {
  return new Set([...commonRefusals(endpoint), ...(endpoint.refusals ?? [])]);
}
