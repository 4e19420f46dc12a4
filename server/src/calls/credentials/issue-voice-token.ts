import { DAY_MS } from "@farline/domain/durations.ts";
import type { VoiceTokenResponse } from "@farline/contract/calls.ts";
import { APIError, UnprocessableEntityError } from "telnyx";
import { requireOpen, type SessionWithCustomer } from "../../accounts/accounts.ts";
import { AppError } from "../../platform/app-error.ts";
import { memoryRateLimit } from "../../platform/http/rate-limit.ts";
import type { CallContext } from "../call-context.ts";
import { isUnknown } from "../provider/telnyx-client.ts";
import { hasOpenEchoTest } from "../echo/echo-test.store.ts";
import { turnServers } from "./turn-servers.ts";
import {
  claimRemovals,
  deleteCredential,
  deleteExpiredCredentials,
  endOrphanedCredentials,
  findCredential,
  saveCredential,
  type VoiceCredential,
} from "./voice-credential.store.ts";

/** Credentials deleted per run. */
const BATCH = 50;
const CREDENTIAL_LIFE_MS = DAY_MS;
/** Credentials that expire sooner are not used for new tokens, because a call may last an hour. */
const MIN_LIFETIME_MS = 60 * 60 * 1000;
/** Lifetime of a credential for an echo test by an account without credit. */
const ECHO_LIFE_MS = 5 * 60 * 1000;
const JWT = /^[\w-]+\.[\w-]+\.[\w-]+$/;

/** A customer's session in one browser. */
type Caller = Pick<SessionWithCustomer, "id" | "payerId" | "status" | "sessionId">;
export type IssueVoiceToken = (caller: Caller) => Promise<VoiceTokenResponse>;

/**
 * Creates the function that issues tokens for the voice provider. Each session has its own credential, which identifies its legs
 * and is deleted with the session without affecting the customer's other devices. A token alone cannot dial.
 * A caller without credit to call on gets a short-lived token, and only for an open echo test, because it could only load the exchange.
 * It throws AppError account_frozen, no_credit, rate_limited, or voice_provider_down (also while the connection does not park calls).
 */
export function createIssueVoiceToken(ctx: CallContext): IssueVoiceToken {
  const limit = memoryRateLimit(ctx, "voice-token");
  return async (caller) => {
    requireOpen(caller, "calls_while_frozen");
    await limit.take(caller.id);
    const lifeMs = await lifeOf(ctx, caller);
    if (!(await ctx.connection.parksCalls())) throw providerDown(undefined);
    try {
      return await issue(ctx, caller, lifeMs);
    } catch (error) {
      if (!(error instanceof APIError)) throw error;
      ctx.log.error({ err: error }, "voice token could not be created");
      throw providerDown(error);
    }
  };
}

async function lifeOf({ handle, ledger, clock }: CallContext, { id, payerId }: Caller): Promise<number> {
  const { balanceMicros } = await ledger.balance(handle.db, payerId ?? id);
  if (balanceMicros > 0n) return CREDENTIAL_LIFE_MS;
  if (await hasOpenEchoTest(handle.db, id, clock.now())) return ECHO_LIFE_MS;
  throw new AppError("no_credit");
}

async function issue(ctx: CallContext, caller: Caller, lifeMs: number): Promise<VoiceTokenResponse> {
  const until = new Date(ctx.clock.now().getTime() + MIN_LIFETIME_MS);
  let credential =
    (await findCredential(ctx.handle.db, caller.sessionId, until)) ?? (await createCredential(ctx, caller, lifeMs));
  let token: string;
  try {
    token = await ctx.telnyx.telephonyCredentials.createToken(credential.provider_id);
  } catch (error) {
    // The provider has deleted or expired the credential, although it is still valid here.
    if (!(error instanceof UnprocessableEntityError || (error instanceof APIError && isUnknown(error)))) throw error;
    await deleteCredential(ctx.handle.db, credential.provider_id);
    credential = await createCredential(ctx, caller, lifeMs);
    token = await ctx.telnyx.telephonyCredentials.createToken(credential.provider_id);
  }
  const { wsUrl, turn } = ctx.config.telnyx;
  const by = { name: credential.sip_username, expiresAt: credential.expires_at };
  // Our exchange advertises its public address; Telnyx needs the SDK's STUN and TURN servers.
  const ownServers = turn === null ? [] : turnServers(turn, by);
  if (!JWT.test(token.trim())) throw providerDown(undefined);
  return {
    token: token.trim(),
    expires_at: credential.expires_at.toISOString(),
    voice: { host: wsUrl, ice_servers: wsUrl === null ? null : ownServers, trickle_ice: wsUrl !== null },
    caller_number: ctx.config.telnyx.callerNumber,
  };
}

async function createCredential(ctx: CallContext, caller: Caller, lifeMs: number): Promise<VoiceCredential> {
  const now = ctx.clock.now();
  const expiresAt = new Date(now.getTime() + lifeMs);
  const { data } = await ctx.telnyx.telephonyCredentials.create({
    connection_id: ctx.config.telnyx.connectionId,
    // Our exchange applies limits per tag, and keeps browsers of different names apart.
    tag: ctx.secrets.customerMark(caller.id),
    name: ctx.secrets.sessionMark(caller.sessionId),
    expires_at: expiresAt.toISOString(),
  });
  if (data?.id === undefined || data.sip_username === undefined) throw providerDown(undefined);
  const credential = {
    provider_id: data.id,
    customer_id: caller.id,
    session_id: caller.sessionId,
    sip_username: data.sip_username,
    expires_at: expiresAt,
  };
  await saveCredential(ctx.handle.db, credential, now);
  return credential;
}

function providerDown(cause: unknown): AppError {
  return new AppError("voice_provider_down", { cause });
}

/**
 * Deletes the credentials of ended sessions at the provider. Each run reads the pending deletions from the database, so a crash
 * loses none. A failed deletion is retried until the credential expires.
 */
export async function removeCredentials(ctx: CallContext, signal: AbortSignal): Promise<void> {
  const now = ctx.clock.now();
  const { db } = ctx.handle;
  await deleteExpiredCredentials(db, now, signal);
  await endOrphanedCredentials(db, now);
  for (const providerId of await claimRemovals(db, now, BATCH)) {
    if (signal.aborted) return;
    if (await ctx.commands.deleteCredential(providerId)) await deleteCredential(db, providerId);
  }
}
