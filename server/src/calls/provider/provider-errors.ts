import { APIError, NotFoundError } from "telnyx";

/** The provider's code for a command on a call that is over. */
const CALL_HAS_ENDED = "90018";

/** Whether the provider has definitely not carried out the command. */
export function isRefusal(error: APIError): boolean {
  return error.status !== undefined && error.status >= 400 && error.status < 500 && error.status !== 408 && error.status !== 429;
}

/** Whether the leg has ended or does not exist. */
export function isOver(error: APIError): boolean {
  return error instanceof NotFoundError || isEnded(error);
}

export function isEnded(error: APIError): boolean {
  return hasCode(error, CALL_HAS_ENDED);
}

export function hasCode(error: APIError, wanted: string): boolean {
  const body: { errors?: readonly { code?: string }[] } | undefined = error.error;
  return Array.isArray(body?.errors) && body.errors.some(({ code }) => code === wanted);
}

/** @throws errors that do not come from the provider, which are bugs of ours */
export function providerError(error: unknown): APIError {
  if (error instanceof APIError) return error;
  throw error;
}
