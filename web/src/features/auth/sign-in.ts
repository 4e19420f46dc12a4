import type {
  SecondFactorResponse,
  SessionResponse,
  SignInResponse,
  LoginRequest,
  RegisterRequest,
} from "@farline/contract/accounts.ts";
import type { GoogleCallbackRequest } from "@farline/contract/google.ts";
import type { RobotProof } from "@farline/contract/robot-check.ts";
import type { PasskeySignInRequest, SecondFactorRequest } from "@farline/contract/second-factor.ts";
import { request } from "../../service/http.ts";
import { queryKeys } from "../../service/queries.ts";
import { queryClient } from "../../service/query-client.ts";
import { forgetReturnPath, isInvited } from "../../session/return-path.ts";
import { startSession } from "../../session/session.ts";
import { currentLanguage, i18n } from "../../text/i18n.ts";
import { toast } from "../../ui/messages/toast.ts";

/** The remaining step of a sign-in. */
export type SecondFactor = SecondFactorResponse["second_factor"];

/**
 * Asks the service to bind the session to this browser: a stolen token is useless elsewhere. Not where cookies are blocked, because the
 * service knows the browser by one, and would end the session at once.
 */
const bound: Record<string, string> = navigator.cookieEnabled ? { "X-Session-Bind": "1" } : {};

/** `POST /api/register`. On success this browser is signed in. @throws ApiError */
export async function register(values: RegisterRequest, proof?: RobotProof): Promise<void> {
  const session = await request("POST /api/register", { body: { ...values, proof }, headers: bound });
  begin({ ...session, is_new: true });
}

/**
 * `POST /api/login`. This browser is signed in, unless the account asks for a second factor, which is returned.
 * @throws ApiError
 */
export async function signIn(values: LoginRequest, proof?: RobotProof): Promise<SecondFactor | null> {
  return proceed(await request("POST /api/login", { body: { ...values, proof }, headers: bound }));
}

/** `POST /api/auth/google/callback` with Google's answer; returns what signIn returns. @throws ApiError */
export async function signInWithGoogle(answer: GoogleCallbackRequest): Promise<SecondFactor | null> {
  const body = { ...answer, language: currentLanguage() };
  return proceed(await request("POST /api/auth/google/callback", { body, headers: bound }));
}

/** `POST /api/login/second-factor` @throws ApiError */
export async function finishWithCode(body: SecondFactorRequest): Promise<void> {
  begin(await request("POST /api/login/second-factor", { body, headers: bound }));
}

/** `POST /api/login/passkey` @throws ApiError */
export async function signInWithPasskey(body: PasskeySignInRequest): Promise<void> {
  begin(await request("POST /api/login/passkey", { body, headers: bound }));
}

function proceed(answer: SignInResponse): SecondFactor | null {
  if ("second_factor" in answer) return answer.second_factor;
  begin(answer);
  return null;
}

function begin(session: SessionResponse): void {
  // A new customer starts at the dialer, whatever page was requested before, or with what somebody invited them to.
  if (session.is_new === true && !isInvited()) forgetReturnPath();
  if (!startSession(session.token)) toast.warning(i18n.t("auth:notStored"));
  // oxlint-disable-next-line farline/shown-answers -- the requests of an earlier session ended with it
  queryClient.setQueryData(queryKeys.user, session.user);
}
