import type { FastifyRequest } from "fastify";
import { AppError } from "../app-error.ts";

const PRINTABLE = /^[\x21-\x7e]{1,255}$/;

/** The request's Idempotency-Key, or null. @throws AppError malformed_request */
export function requestKeyOf(request: FastifyRequest): string | null {
  const key = request.headers["idempotency-key"];
  if (key === undefined) return null;
  if (typeof key !== "string" || !PRINTABLE.test(key))
    throw new AppError("malformed_request", { reason: "idempotency_key_invalid" });
  return key;
}
