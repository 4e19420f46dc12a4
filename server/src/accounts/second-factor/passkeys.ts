import type { PasskeyCreateRequest, PasskeyResponse, PasskeySignInRequest } from "@farline/contract/second-factor.ts";
import { uuidv7 } from "uuidv7";
import type { RequestOrigin } from "../record/request-origin.ts";
import { recordWithNotice } from "../record/send-notice.ts";
import { AppError } from "../../platform/app-error.ts";
import { type Customer, findCustomer, lockCustomer, type Profile } from "../record/customer.store.ts";
import { lockSession, type SessionWithCustomer } from "../session/session.store.ts";
import { type SignInOrigin, startSession } from "../session/start-session.ts";
import {
  consumePasskeyChallenge,
  findPasskey,
  insertPasskey,
  insertPasskeyChallenge,
  listPasskeys,
  markPasskeyUsed,
  type PasskeyRow,
} from "../record/second-factor.store.ts";
import {
  creationOptions,
  hashPasskeyChallenge,
  PASSKEY_CHALLENGE_MS,
  type PasskeyOptions,
  passkeyRefused,
  requestOptions,
  verifyCreation,
  verifyUse,
  consumeNamedChallenge,
} from "./webauthn.ts";
import type { AccountContext } from "../account-context.ts";

const MAX_PASSKEYS = 20;

/** Options for creating a discoverable passkey with user verification. */
export async function registrationOptions(ctx: AccountContext, customer: Customer): Promise<Record<string, unknown>> {
  const present = await listPasskeys(ctx.handle.db, customer.id);
  if (present.length >= MAX_PASSKEYS) throw new AppError("conflict", { reason: "passkeys_full", params: { max: MAX_PASSKEYS } });
  return storeChallenge(ctx, await creationOptions(ctx.config.publicUrl, customer, present), customer.id);
}

/** Options for signing in with any of the browser's passkeys for this site. */
export async function signInOptions(ctx: AccountContext): Promise<Record<string, unknown>> {
  return storeChallenge(ctx, await requestOptions(ctx.config.publicUrl), null);
}

/** Adds a passkey to an account. @throws AppError passkey_refused, conflict */
export async function addPasskey(
  ctx: AccountContext,
  customer: SessionWithCustomer,
  given: PasskeyCreateRequest & { from: RequestOrigin },
): Promise<PasskeyResponse> {
  const now = ctx.clock.now();
  const { credential, from, name } = given;
  const challenge = await consumeChallenge(ctx, credential.response.clientDataJSON, customer.id);
  const passkey: PasskeyRow = {
    id: uuidv7(),
    customer_id: customer.id,
    ...(await verifyCreation(ctx.config.publicUrl, credential, challenge)),
    name,
    created_at: now,
    last_used_at: null,
  };
  await ctx.transaction(async (tx) => {
    await lockSession(tx, customer);
    if ((await listPasskeys(tx, customer.id)).length >= MAX_PASSKEYS)
      throw new AppError("conflict", { reason: "passkeys_full", params: { max: MAX_PASSKEYS } });
    if (!(await insertPasskey(tx, passkey))) throw new AppError("conflict", { reason: "passkey_in_use" });
    await recordWithNotice(tx, customer, { event: "passkey_added", detail: name, from, at: now });
  });
  return { id: passkey.id, name };
}

/** Signs in with a passkey, which counts as both factors. @throws AppError passkey_refused */
export async function signInWithPasskey(
  ctx: AccountContext,
  { credential }: PasskeySignInRequest,
  origin: () => SignInOrigin,
): Promise<{ customer: Profile; token: string }> {
  const now = ctx.clock.now();
  const expectedChallenge = await consumeChallenge(ctx, credential.response.clientDataJSON, null);
  const passkey = await findPasskey(ctx.handle.db, Buffer.from(credential.id, "base64url"));
  if (passkey === undefined) throw passkeyRefused();
  const used = { ownerId: passkey.customer_id, passkey, expectedChallenge };
  const { count, synced } = await verifyUse(ctx.config.publicUrl, credential, used);
  return ctx.transaction(async (tx) => {
    await lockCustomer(tx, passkey.customer_id);
    const customer = await findCustomer(tx, passkey.customer_id);
    const marked = await markPasskeyUsed(tx, { id: passkey.id, countBefore: passkey.sign_count, count, synced, now });
    if (customer === undefined || !marked) throw passkeyRefused();
    const { token } = await startSession(tx, customer.id, now, origin());
    return { customer, token };
  });
}

/** @returns the options, which contain the challenge */
async function storeChallenge(
  ctx: AccountContext,
  { options, challenge }: PasskeyOptions,
  customerId: string | null,
): Promise<PasskeyOptions["options"]> {
  const expiresAt = new Date(ctx.clock.now().getTime() + PASSKEY_CHALLENGE_MS);
  await insertPasskeyChallenge(ctx.handle.db, { hash: hashPasskeyChallenge(challenge), customerId, expiresAt });
  return options;
}

function consumeChallenge(ctx: AccountContext, clientDataJSON: string, customerId: string | null): Promise<string> {
  const { db } = ctx.handle;
  const now = ctx.clock.now();
  return consumeNamedChallenge(clientDataJSON, (hash) => consumePasskeyChallenge(db, { hash, customerId, now }));
}
