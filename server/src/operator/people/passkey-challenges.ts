import {
  challengeIn,
  hashPasskeyChallenge,
  PASSKEY_CHALLENGE_MS,
  passkeyRefused,
  type PasskeyOptions,
} from "../../accounts/accounts.ts";
import type { Context } from "../../context.ts";
import { consumeOperatorChallenge, insertOperatorChallenge } from "./credential.store.ts";

/** Remembers the challenge of a passkey's options. @param operatorId null for a sign-in @returns the options */
export async function issueChallenge(
  { handle, clock }: Context,
  { options, challenge }: PasskeyOptions,
  operatorId: string | null,
): Promise<PasskeyOptions["options"]> {
  const expiresAt = new Date(clock.now().getTime() + PASSKEY_CHALLENGE_MS);
  await insertOperatorChallenge(handle.db, { hash: hashPasskeyChallenge(challenge), operatorId, expiresAt });
  return options;
}

/** Consumes the challenge named by the browser, whose signature is checked afterwards. @throws AppError passkey_refused */
export async function consumeChallenge(
  { handle, clock }: Context,
  clientDataJSON: string,
  operatorId: string | null,
): Promise<string> {
  const challenge = challengeIn(clientDataJSON);
  const wanted = { operatorId, now: clock.now() };
  if (challenge === null || !(await consumeOperatorChallenge(handle.db, { hash: hashPasskeyChallenge(challenge), ...wanted })))
    throw passkeyRefused();
  return challenge;
}
