import { AppError } from "../../platform/app-error.ts";
import type { Tx } from "../../platform/database/database.ts";
import { deriveKey, type SecretKeys } from "../../platform/settings/secret-keys.ts";
import { openValue, sealValue } from "../../platform/sealed-value.ts";
import { type Authenticator, consumeRecoveryCode, consumeStep, findAuthenticator } from "../record/second-factor.store.ts";
import { hashRecoveryCode, stepOfCode } from "./authenticator-code.ts";

const USE = "authenticator secret";
const APP_CODE = /^\d{6}$/;

/** Which kind of code matched. */
type CodeKind = "authenticator" | "recovery_code";

/** An authenticator's sealed secret, as stored. */
export function sealSecret(keys: SecretKeys, secret: string, ownerId: string): { secret: Buffer; secretKey: string } {
  return { secret: sealValue(deriveKey(keys[0], USE), secret, ownerId), secretKey: keys[0].id };
}

/** @throws Error if the service no longer has the key it was sealed with */
export function openSecret(keys: SecretKeys, stored: Pick<Authenticator, "secret" | "secretKey">, ownerId: string): string {
  const key = keys.find((one) => one.id === stored.secretKey);
  if (key === undefined) throw new Error(`SECRET_KEYS lacks the key "${stored.secretKey}" that authenticators were sealed with.`);
  return openValue(deriveKey(key, USE), stored.secret, ownerId);
}

/**
 * Consumes a code of a customer's authenticator app or a recovery code. Null if it is wrong or was used.
 * @param code as `readSecondFactorCode` gives it
 */
export async function consumeCode(
  tx: Tx,
  wanted: { customerId: string; code: string; now: Date; keys: SecretKeys },
): Promise<CodeKind | null> {
  const { customerId, code, now, keys } = wanted;
  if (!APP_CODE.test(code)) {
    const codeHash = hashRecoveryCode(customerId, code);
    return (await consumeRecoveryCode(tx, { customerId, codeHash, now })) ? "recovery_code" : null;
  }
  const stored = await findAuthenticator(tx, customerId);
  if (stored === undefined || stored.confirmedAt === null) return null;
  const step = stepOfCode(openSecret(keys, stored, customerId), code, now);
  return step !== null && (await consumeStep(tx, customerId, step)) ? "authenticator" : null;
}

export function codeWrong(): AppError {
  return new AppError("code_wrong", { field: "code" });
}
