import type { AnswerOf, BodyOf, EndpointName } from "@farline/contract/api/api.ts";
import { UNATTENDED_HEADER } from "@farline/contract/constants.ts";
import { addressOf, type AddressParts } from "../service/endpoint-address.ts";
import { ApiError, readAnswer, send, toApiError, type Answer } from "../service/http.ts";

type ConsoleEndpoint = Extract<EndpointName, `${string} /api/operator/${string}`>;
interface SendingOptions {
  /** The page asks by itself: that does not keep the session alive. */
  readonly unattended?: boolean;
  /** Something was typed for it: an ended session is renewed in place. Else the sign-in takes the place of the page. */
  readonly typed?: boolean;
  /** It reads so much that it may take minutes, as every change may. */
  readonly slow?: boolean;
  readonly read?: (response: Response) => Promise<Answer>;
}

type Options<N extends ConsoleEndpoint> = AddressParts<N> &
  SendingOptions &
  (undefined extends BodyOf<N> ? { readonly body?: BodyOf<N> } : { readonly body: BodyOf<N> });
type Given<N extends ConsoleEndpoint> = object extends Options<N> ? [options?: Options<N>] : [options: Options<N>];

const SESSION_ENDED = 401;
/** A change may compare a million prices, which takes half a minute, or wait for a provider; a file may have 100,000 rows. */
const SLOW_TIMEOUT_MS = 180_000;
/** What is said of a change without an answer: it may have come too late, or got lost. */
export const UNANSWERED = "No response came, so it may have been done. Check before you try again.";

let signedOut = (): void => {};
let prove = (): Promise<boolean> => Promise.resolve(false);

/** Called when the service says that the session has ended. */
export function onSignedOut(run: () => void): void {
  signedOut = run;
}

/** Shows the sign-in: the session has ended. */
export function endConsoleSession(): void {
  signedOut();
}

/** Asks the operator to prove who they are; true once they have. */
export function onProofNeeded(ask: () => Promise<boolean>): void {
  prove = ask;
}

/**
 * Sends a request to an endpoint for operators, whose cookie the browser adds. Where the service requires a recent proof of identity,
 * or the session ended while something was `typed`, the operator is asked and the request repeated.
 * @throws ApiError
 */
export async function consoleRequest<N extends ConsoleEndpoint>(name: N, ...[options]: Given<N>): Promise<AnswerOf<N>> {
  const method = name.slice(0, name.indexOf(" "));
  const url = addressOf(name, (options ?? {}) as AddressParts<N>);
  try {
    return (await once(method, url, options)) as AnswerOf<N>;
  } catch (error) {
    const isOver = error instanceof ApiError && error.status === SESSION_ENDED && options?.typed === true;
    if (!isOver && !(error instanceof ApiError && error.code === "reauth_required")) throw error;
    if (!(await prove())) throw new ApiError(0, "cancelled", "The request was cancelled.");
    return (await once(method, url, options && { ...options, typed: false })) as AnswerOf<N>;
  }
}

/**
 * As `consoleRequest`, for an endpoint that answers with a file.
 * @throws ApiError
 */
export async function consoleFile<N extends ConsoleEndpoint>(name: N, options: Options<N>): Promise<Blob> {
  const read = async (response: Response): Promise<Answer> =>
    response.ok ? { response, body: await response.blob() } : readAnswer(response);
  return (await consoleRequest(name, { ...options, slow: true, read })) as Blob;
}

async function once(
  method: string,
  url: string,
  { unattended = false, typed = false, slow = method !== "GET", ...options }: SendingOptions & { readonly body?: unknown } = {},
): Promise<unknown> {
  const headers: Record<string, string> = unattended ? { [UNATTENDED_HEADER]: "1" } : {};
  const { response, body } = await send(method, url, null, { ...(slow && { timeoutMs: SLOW_TIMEOUT_MS }), ...options, headers });
  if (response.status === SESSION_ENDED && !typed) endConsoleSession();
  if (!response.ok) throw toApiError(response, body);
  return body;
}
