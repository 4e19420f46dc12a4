import type { TrunkConfig } from "./trunk.ts";

/** The number as a trunk wants it in the Request-URI. @param number E.164 with "+" */
export function dialledUser(trunk: Pick<TrunkConfig, "numberFormat" | "techPrefix">, number: string): string {
  const digits = number.replace(/^\+/, "");
  const written = { e164_plus: `+${digits}`, e164: digits, "00": `00${digits}` }[trunk.numberFormat];
  return `${trunk.techPrefix ?? ""}${written}`;
}

/** Whether a user part names the number, in any form that the trunk may write it. */
export function namesNumber(trunk: Pick<TrunkConfig, "techPrefix">, user: string, number: string): boolean {
  const digits = number.replace(/^\+/, "");
  const prefix = trunk.techPrefix ?? "";
  const bare = user.startsWith(prefix) ? user.slice(prefix.length) : user;
  return [digits, `+${digits}`, `00${digits}`].includes(bare);
}
