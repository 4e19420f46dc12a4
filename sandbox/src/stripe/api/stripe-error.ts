import { z } from "zod";

type StripeErrorType = "api_error" | "card_error" | "idempotency_error" | "invalid_request_error";

/** An error response with the wording and format of Stripe's API. */
export class StripeApiError extends Error {
  readonly status: number;
  readonly type: StripeErrorType;
  readonly code: string | undefined;
  readonly param: string | undefined;

  constructor(status: number, message: string, details: { type?: StripeErrorType; code?: string; param?: string } = {}) {
    super(message);
    this.status = status;
    this.type = details.type ?? "invalid_request_error";
    this.code = details.code;
    this.param = details.param;
  }

  body(): { error: Record<string, unknown> } {
    const { type, code, param, message } = this;
    return { error: { ...(code && { code }), message, ...(param && { param }), type } };
  }
}

export function noSuch(kind: string, id: string, param = "id"): StripeApiError {
  return new StripeApiError(param === "id" ? 404 : 400, `No such ${kind}: '${id}'`, { code: "resource_missing", param });
}

export function invalid(message: string, param: string, code = "parameter_invalid"): StripeApiError {
  return new StripeApiError(400, message, { code, param });
}

/**
 * Validates a request's parameters.
 * @throws StripeApiError that names the first unknown, missing or invalid one, as Stripe does
 */
export function readParams<Schema extends z.ZodType>(schema: Schema, input: unknown): z.output<Schema> {
  const parsed = schema.safeParse(input);
  if (parsed.success) return parsed.data;
  const issue = parsed.error.issues[0] as z.core.$ZodIssue;
  const path = issue.path.map(String);
  const at = (names: readonly string[]) => names.map((name, i) => (i === 0 ? name : `[${name}]`)).join("");
  if (issue.code === "unrecognized_keys") {
    const param = at([...path, issue.keys[0] as string]);
    throw invalid(`Received unknown parameter: ${param}`, param, "parameter_unknown");
  }
  if (issue.code === "invalid_type" && issue.input === undefined)
    throw invalid(`Missing required param: ${at(path)}.`, at(path), "parameter_missing");
  if (issue.code === "invalid_format" && issue.format === "email")
    throw invalid(`Invalid email address: ${String(issue.input)}`, at(path), "email_invalid");
  throw invalid(`Invalid ${at(path)}: ${issue.message}`, at(path));
}

/** Schemas of parameters, which all arrive as text. */
export const integer = z
  .string()
  .regex(/^-?\d{1,12}$/, "must be an integer")
  .transform(Number);
export const flag = z.enum(["true", "false"]).transform((text) => text === "true");
export const metadata = z
  .record(z.string().max(40), z.string().max(500))
  .refine((entries) => Object.keys(entries).length <= 50, "may have 50 keys at most")
  .transform((entries) => Object.fromEntries(Object.entries(entries).filter(([, value]) => value !== "")));
/** For updates: an empty value removes its key. */
export const metadataChange = z
  .record(z.string().max(40), z.string().max(500))
  .refine((entries) => Object.keys(entries).length <= 50, "may have 50 keys at most");
export const expand = z.array(z.string().max(200)).max(20).optional();

export function mergeMetadata(known: Record<string, string>, change: Record<string, string> = {}): Record<string, string> {
  return Object.fromEntries(Object.entries({ ...known, ...change }).filter(([, value]) => value !== ""));
}
