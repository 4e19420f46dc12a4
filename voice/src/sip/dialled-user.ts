import type { TrunkConfig } from "./trunk.ts";

type NumberTrunk = Pick<TrunkConfig, "numberFormat" | "techPrefix">;

/** The number as a trunk wants it in the Request-URI. @param number E.164 with "+" */
export function dialledUser(trunk: NumberTrunk, number: string): string {
  return `${trunk.techPrefix ?? ""}${written(trunk.numberFormat, number.replace(/^\+/, ""))}`;
}

/** Whether a user part names the number, in any form that the trunk may write it. */
export function namesNumber(trunk: NumberTrunk, user: string, number: string): boolean {
  const digits = number.replace(/^\+/, "");
  const prefix = trunk.techPrefix ?? "";
  const bare = user.startsWith(prefix) ? user.slice(prefix.length) : user;
  return [digits, `+${digits}`, `00${digits}`, written(trunk.numberFormat, digits)].includes(bare);
}

/** Says that the user part is a number (RFC 3261 §19.1.1), to carriers that want to be told. */
export function phoneParameters({ userPhone }: Pick<TrunkConfig, "userPhone">): Record<string, string> {
  return userPhone === true ? { user: "phone" } : {};
}

function written(format: TrunkConfig["numberFormat"], digits: string): string {
  if (format === "e164_plus") return `+${digits}`;
  if (format === "e164") return digits;
  if (format === "00") return `00${digits}`;
  const { countryCode, trunkPrefix, internationalPrefix } = format.national;
  return digits.startsWith(countryCode) ? `${trunkPrefix}${digits.slice(countryCode.length)}` : `${internationalPrefix}${digits}`;
}
