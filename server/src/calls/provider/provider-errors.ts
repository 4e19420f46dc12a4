import { APIError, NotFoundError } from "telnyx";

/** Telnyx's error codes for a command on a call that has ended, is unknown, or must be answered first. */
const CALL_HAS_ENDED = "90018";
const UNKNOWN_CALL = "90015";
const CALL_NOT_ANSWERED = "90034";

/** Whether the provider definitely did not execute the command. */
export function isRefusal(error: APIError): boolean {
  return error.status !== undefined && error.status >= 400 && error.status < 500 && error.status !== 408 && error.status !== 429;
}

/** Whether the leg has ended or does not exist. */
export function isOver(error: APIError): boolean {
  return isUnknown(error) || hasCode(error, CALL_HAS_ENDED);
}

/**
 * Whether the provider itself says that it does not, or no longer, know the leg or other resource, with a code of its own. A proxy answers 404
 * while its route is missing: live calls would be settled as lost.
 */
export function isUnknown(error: APIError): boolean {
  const isNotFound = error instanceof NotFoundError && codesOf(error).length > 0;
  return isNotFound || hasCode(error, UNKNOWN_CALL);
}

/** Whether the leg must be answered before this command. */
export function needsAnswer(error: APIError): boolean {
  return hasCode(error, CALL_NOT_ANSWERED);
}

export function hasCode(error: APIError, required: string): boolean {
  return codesOf(error).includes(required);
}

function codesOf(error: APIError): string[] {
  const body: { errors?: readonly { code?: unknown }[] } | undefined = error.error;
  return Array.isArray(body?.errors) ? body.errors.flatMap(({ code }) => (typeof code === "string" ? [code] : [])) : [];
}

/** Narrows a provider's error. @throws all other errors, which are bugs */
export function providerError(error: unknown): APIError {
  if (error instanceof APIError) return error;
  throw error;
}
