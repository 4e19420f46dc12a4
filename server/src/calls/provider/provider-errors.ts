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

/** Whether the provider does not, or no longer, know the leg. */
export function isUnknown(error: APIError): boolean {
  return error instanceof NotFoundError || hasCode(error, UNKNOWN_CALL);
}

/** Whether the leg must be answered before this command. */
export function needsAnswer(error: APIError): boolean {
  return hasCode(error, CALL_NOT_ANSWERED);
}

export function hasCode(error: APIError, required: string): boolean {
  const body: { errors?: readonly { code?: string }[] } | undefined = error.error;
  return Array.isArray(body?.errors) && body.errors.some(({ code }) => code === required);
}

/** Narrows a provider's error. @throws all other errors, which are bugs */
export function providerError(error: unknown): APIError {
  if (error instanceof APIError) return error;
  throw error;
}
