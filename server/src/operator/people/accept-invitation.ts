import type { AuthenticatorSetupResponse, PasskeyCreateRequest } from "@farline/contract/second-factor.ts";
import { uuidv7 } from "uuidv7";
import {
  authenticatorSetup,
  checkNewPassword,
  codeWrong,
  creationOptions,
  hashPassword,
  newAuthenticatorSecret,
  openSecret,
  passkeyRefused,
  sealSecret,
  stepOfCode,
  verifyCreation,
} from "../../accounts/accounts.ts";
import type { Context, ServiceContext } from "../../context.ts";
import { AppError } from "../../platform/app-error.ts";
import { hashToken } from "../../platform/sealed-value.ts";
import { insertOperatorPasskey, insertPassword } from "./credential.store.ts";
import { consumeInvitation, findInvitation, storeInvitationSecret, type OpenInvitation } from "./invitation.store.ts";
import { consumeChallenge, issueChallenge, startConsole, type ConsolePlace, type SignedIn } from "./sign-in.ts";

/** An invitation that can still be accepted. @throws AppError link_expired */
export async function readInvitation({ handle, clock }: Context, token: string): Promise<OpenInvitation> {
  const found = await findInvitation(handle.db, hashToken(token), clock.now());
  if (found === undefined) throw linkExpired();
  return found;
}

/** Options for the passkey of an invited operator. @throws AppError link_expired */
export async function invitationPasskeyOptions(ctx: ServiceContext, token: string): Promise<Record<string, unknown>> {
  const { operator } = await readInvitation(ctx, token);
  const owner = { ...operator, name: `${operator.name} (operator)` };
  return issueChallenge(ctx, await creationOptions(ctx.config.publicUrl, owner, []), operator.id);
}

/** Accepts an invitation with a passkey, and signs in. @throws AppError link_expired, passkey_refused */
export async function acceptWithPasskey(
  ctx: ServiceContext,
  { token, credential }: { token: string; credential: PasskeyCreateRequest["credential"] },
  from: ConsolePlace,
): Promise<SignedIn> {
  const { operator } = await readInvitation(ctx, token);
  const challenge = await consumeChallenge(ctx, credential.response.clientDataJSON, operator.id);
  const { synced: _synced, ...passkey } = await verifyCreation(ctx.config.publicUrl, credential, challenge);
  const row = { id: uuidv7(), operator_id: operator.id, ...passkey, created_at: ctx.clock.now(), last_used_at: null };
  const signedIn = await startConsole(ctx, operator, {
    from,
    way: "Invitation accepted with a passkey",
    using: async (tx) => {
      if (!(await consumeInvitation(tx, hashToken(token)))) return false;
      if (!(await insertOperatorPasskey(tx, row))) throw passkeyRefused();
      return true;
    },
  });
  if (signedIn === null) throw linkExpired();
  return signedIn;
}

/** Makes the authenticator's secret of an invited operator. It counts once its first code is confirmed. @throws AppError link_expired */
export async function startInvitationAuthenticator(ctx: ServiceContext, token: string): Promise<AuthenticatorSetupResponse> {
  const { operator } = await readInvitation(ctx, token);
  const secret = newAuthenticatorSecret();
  await storeInvitationSecret(ctx.handle.db, {
    operatorId: operator.id,
    ...sealSecret(ctx.config.secretKeys, secret, operator.id),
  });
  return authenticatorSetup(secret, operator.email);
}

/**
 * Accepts an invitation with a password and an authenticator, and signs in.
 * @throws AppError link_expired, validation_failed, code_wrong
 */
export async function acceptWithPassword(
  ctx: ServiceContext,
  given: { token: string; password: string; password_confirmation: string; code: string },
  from: ConsolePlace,
): Promise<SignedIn> {
  const { secretKeys } = ctx.config;
  const now = ctx.clock.now();
  const { operator, authenticator } = await readInvitation(ctx, given.token);
  checkNewPassword(given, operator);
  if (authenticator === null) throw codeWrong();
  const step = stepOfCode(openSecret(secretKeys, authenticator, operator.id), given.code, now);
  if (step === null) throw codeWrong();
  const { hash, keyId } = await hashPassword(secretKeys, given.password, ctx.costs.password);
  const signedIn = await startConsole(ctx, operator, {
    from,
    way: "Invitation accepted with a password and an authenticator",
    using: async (tx) => {
      if (!(await consumeInvitation(tx, hashToken(given.token)))) return false;
      const { secret, secretKey } = authenticator;
      const row = { password_hash: hash, password_key: keyId, secret, secret_key: secretKey, last_step: BigInt(step) };
      await insertPassword(tx, { operator_id: operator.id, ...row, created_at: now });
      return true;
    },
  });
  if (signedIn === null) throw linkExpired();
  return signedIn;
}

function linkExpired(): AppError {
  return new AppError("link_expired", { reason: "operator.link_expired" });
}
