import type { RequestOrigin } from "../record/request-origin.ts";
import { recordWithNotice } from "../record/send-notice.ts";
import { AppError } from "../../platform/app-error.ts";
import type { Tx } from "../../platform/database/database.ts";
import { deriveKey, type SecretKeys } from "../../platform/settings/secret-keys.ts";
import { openValue, sealValue } from "../../platform/sealed-value.ts";
import type { Customer } from "../record/customer.store.ts";
import { type Authenticator, consumeRecoveryCode, consumeStep, findAuthenticator } from "../record/second-factor.store.ts";
import { hashRecoveryCode, stepOfCode } from "./authenticator-code.ts";

const USE = "authenticator secret";
const APP_CODE = /^\d{6}$/;

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

/** A code that a customer has typed. */
interface TypedCode {
  readonly customer: Pick<Customer, "id" | "name" | "email" | "language">;
  /** As `readSecondFactorCode` gives it. */
  readonly code: string;
  readonly from: RequestOrigin;
  readonly now: Date;
}

/**
 * Consumes a code of a customer's authenticator app or a recovery code; of the latter its owner is told, because a stranger may have
 * found it. False if it is wrong or was used.
 */
export async function consumeCode(tx: Tx, keys: SecretKeys, { customer, code, from, now }: TypedCode): Promise<boolean> {
  const customerId = customer.id;
  if (!APP_CODE.test(code)) {
    if (!(await consumeRecoveryCode(tx, { customerId, codeHash: hashRecoveryCode(customerId, code), now }))) return false;
    await recordWithNotice(tx, customer, { event: "recovery_code_used", from, at: now });
    return true;
  }
  const stored = await findAuthenticator(tx, customerId);
  if (stored === undefined || stored.confirmedAt === null) return false;
  const step = stepOfCode(openSecret(keys, stored, customerId), code, now);
  return step !== null && (await consumeStep(tx, customerId, step));
}

export function codeWrong(): AppError {
  return new AppError("code_wrong", { field: "code" });
}
