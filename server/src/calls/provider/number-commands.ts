import type { Language } from "@farline/contract/languages.ts";
import type { Telnyx } from "telnyx";
import type { Logger } from "pino";
import { isRefusal, isUnknown, providerError } from "./telnyx-client.ts";

/** `not_possible`: the provider or its carriers cannot show customers' numbers. `refused`: it cannot show this one. */
export type CallNumberResult = "calling" | "refused" | "not_possible" | "too_often" | "unreachable";

type CodeResult =
  /** `proof` is sent with each call that shows the number; null if the provider keeps its own list. */
  { result: "proven"; proof: string | null } | { result: "wrong" | "expired" | "unreachable" };

/** Commands to verify customers' own numbers. Network errors are results, not rejections. */
export interface NumberCommands {
  /** Calls a number and reads out a code that the provider generates and keeps. Not retried, because each attempt is a call. */
  callWithCode(number: string, language: Language): Promise<CallNumberResult>;
  submitCode(number: string, code: string): Promise<CodeResult>;
  /** Removes a number at the provider. Succeeds if the provider does not know it. */
  forget(number: string): Promise<boolean>;
}

export function createNumberCommands(telnyx: Telnyx, log: Logger): NumberCommands {
  return {
    async callWithCode(number, language) {
      // Telnyx reads the code in English; our exchange follows the language.
      const once = { maxRetries: 0, headers: { "accept-language": language } };
      try {
        await telnyx.verifiedNumbers.create({ phone_number: number, verification_method: "call" }, once);
        return "calling";
      } catch (error) {
        const known = providerError(error);
        log.warn({ err: known }, "number could not be called with a code");
        if (known.status === 403) return "not_possible";
        if (known.status === 429) return "too_often";
        return isRefusal(known) && known.status !== 401 && known.status !== 404 ? "refused" : "unreachable";
      }
    },

    async submitCode(number, code) {
      try {
        const { data } = await telnyx.verifiedNumbers.actions.submitVerificationCode(
          number,
          { verification_code: code },
          { maxRetries: 0 },
        );
        return data?.verified_at === undefined ? { result: "wrong" } : { result: "proven", proof: proofOf(data) };
      } catch (error) {
        const known = providerError(error);
        if (isUnknown(known)) return { result: "expired" };
        if (isRefusal(known) && ![401, 403, 404].includes(known.status ?? 0)) return { result: "wrong" };
        log.warn({ err: known }, "code could not be checked");
        return { result: "unreachable" };
      }
    },

    async forget(number) {
      try {
        await telnyx.verifiedNumbers.delete(number);
        return true;
      } catch (error) {
        const known = providerError(error);
        if (isUnknown(known)) return true;
        log.warn({ err: known }, "number could not be removed at the provider");
        return false;
      }
    },
  };
}

/** An extension of our exchange; Telnyx has no such field. */
function proofOf(data: object): string | null {
  const { proof } = data as { proof?: unknown };
  return typeof proof === "string" ? proof : null;
}
