import type { AuthenticatorSetupResponse } from "@farline/contract/second-factor.ts";
import { encodeQR } from "qr";
import type { RequestOrigin } from "../record/request-origin.ts";
import { recordWithNotice } from "../record/send-notice.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Tx } from "../../platform/database/database.ts";
import { type Customer, lockCustomer } from "../record/customer.store.ts";
import { forgetProofs, lockSession, type SessionWithCustomer } from "../session/session.store.ts";
import {
  confirmAuthenticator,
  deleteAuthenticator,
  findAuthenticator,
  replaceRecoveryCodes,
  storeNewAuthenticator,
} from "../record/second-factor.store.ts";
import {
  authenticatorUri,
  hashRecoveryCode,
  newAuthenticatorSecret,
  newRecoveryCodes,
  stepOfCode,
} from "../credentials/authenticator-code.ts";
import { codeWrong, openSecret, sealSecret } from "../credentials/check-code.ts";
import { endAccess } from "../session/end-access.ts";
import type { AccountContext } from "../account-context.ts";

/** Quiet zone in modules, required by scanners (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/**
 * Creates a secret for an authenticator app. Sign-in needs no code until the first one is confirmed.
 * @throws AppError conflict while one is in use
 */
export async function startAuthenticator(
  ctx: AccountContext,
  customer: SessionWithCustomer,
): Promise<AuthenticatorSetupResponse> {
  const secret = newAuthenticatorSecret();
  const sealed = sealSecret(ctx.config.secretKeys, secret, customer.id);
  const stored = await ctx.transaction(async (tx) => {
    await lockSession(tx, customer);
    return storeNewAuthenticator(tx, { customerId: customer.id, ...sealed, now: ctx.clock.now() });
  });
  if (!stored) throw inUse();
  return authenticatorSetup(secret, customer.email);
}

/** How an authenticator app learns its secret. */
export function authenticatorSetup(secret: string, email: string): AuthenticatorSetupResponse {
  const uri = authenticatorUri(secret, email);
  return { secret: secret.replace(/(.{4})(?=.)/g, "$1 "), uri, qr: qrPath(uri) };
}

/**
 * Activates the authenticator once a code proves that the app has the secret. Returns the recovery codes.
 * @throws AppError code_wrong, conflict, rate_limited
 */
export async function confirmSetup(
  ctx: AccountContext,
  customer: SessionWithCustomer,
  given: { code: string; from: RequestOrigin },
): Promise<string[]> {
  const now = ctx.clock.now();
  await ctx.limits.codeTries.take(`session ${customer.sessionId}`);
  const codes = await ctx.transaction(async (tx) => {
    await lockSession(tx, customer);
    const stored = await findAuthenticator(tx, customer.id);
    if (stored === undefined) throw new AppError("conflict", { reason: "authenticator_start_again" });
    if (stored.confirmedAt !== null) throw inUse();
    const step = stepOfCode(openSecret(ctx.config.secretKeys, stored, customer.id), given.code, now);
    if (step === null) throw codeWrong();
    await confirmAuthenticator(tx, { customerId: customer.id, step, now });
    // Sessions opened by password alone must not be able to remove it.
    await forgetProofs(tx, { customerId: customer.id, exceptSession: customer.sessionId });
    await recordWithNotice(tx, customer, { event: "two_factor_on", from: given.from, at: now });
    return makeRecoveryCodes(tx, customer.id, now);
  });
  await ctx.limits.codeTries.clear(`session ${customer.sessionId}`);
  return codes;
}

/** @throws AppError conflict if no authenticator is in use */
export async function renewRecoveryCodes(ctx: AccountContext, customer: Customer, from: RequestOrigin): Promise<string[]> {
  const now = ctx.clock.now();
  return ctx.transaction(async (tx) => {
    await lockCustomer(tx, customer.id);
    const stored = await findAuthenticator(tx, customer.id);
    if (stored === undefined || stored.confirmedAt === null) throw notInUse();
    await recordWithNotice(tx, customer, { event: "recovery_codes_new", from, at: now });
    return makeRecoveryCodes(tx, customer.id, now);
  });
}

/** Removes the authenticator and the recovery codes, and ends the other sessions. @throws AppError conflict while there is none in use */
export async function removeAuthenticator(
  ctx: AccountContext,
  customer: SessionWithCustomer,
  given: { browserHash: Buffer | null; from: RequestOrigin },
): Promise<void> {
  const at = ctx.clock.now();
  await ctx.transaction(async (tx) => {
    await lockSession(tx, customer);
    if (!(await deleteAuthenticator(tx, customer.id))) throw notInUse();
    const others = { customerId: customer.id, exceptSession: customer.sessionId, exceptBrowser: given.browserHash };
    await endAccess(tx, others, { by: "sign_in_method_removed", at });
    await recordWithNotice(tx, customer, { event: "two_factor_off", from: given.from, at });
  });
}

async function makeRecoveryCodes(tx: Tx, customerId: string, now: Date): Promise<string[]> {
  const codes = newRecoveryCodes();
  await replaceRecoveryCodes(tx, { customerId, codeHashes: codes.map((code) => hashRecoveryCode(customerId, code)), now });
  return codes;
}

function inUse(): AppError {
  return new AppError("conflict", { reason: "authenticator_in_use" });
}

function notInUse(): AppError {
  return new AppError("conflict", { reason: "authenticator_none" });
}

/** Encodes a text as a QR code: one SVG path of dark modules on a square of `size` units, including the quiet zone. */
export function qrPath(text: string): { size: number; path: string } {
  const rows = encodeQR(text, "raw", { ecc: "medium", border: QUIET_ZONE });
  const path = rows
    .map((row, y) =>
      darkRuns(row)
        .map(({ x, length }) => `M${x} ${y}h${length}v1h-${length}z`)
        .join(""),
    )
    .join("");
  return { size: rows.length, path };
}

function darkRuns(row: readonly boolean[]): { x: number; length: number }[] {
  const runs: { x: number; length: number }[] = [];
  for (const [x, dark] of row.entries()) {
    const last = runs.at(-1);
    if (!dark) continue;
    if (last !== undefined && last.x + last.length === x) last.length += 1;
    else runs.push({ x, length: 1 });
  }
  return runs;
}
