import { dollarsToSend } from "@farline/domain/typed/typed-dollars.ts";

/** The typed limit as a request contains it; null for no limit. */
export function typedLimit(typed: string): string | null {
  return typed.trim() === "" ? null : dollarsToSend(typed);
}
