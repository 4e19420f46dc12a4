import type { Parameters } from "@farline/sip/message/message.ts";
import type { TrunkConfig } from "./trunk.ts";

type NumberTrunk = Pick<TrunkConfig, "numberFormat" | "techPrefix">;

/** Formats a number for the Request-URI of a trunk. @param number E.164 with "+" */
export function dialledUser(trunk: NumberTrunk, number: string): string {
  return `${trunk.techPrefix ?? ""}${formatNumber(trunk.numberFormat, number.replace(/^\+/, ""))}`;
}

/** Whether a user part is the number, in any format that the trunk may use. */
export function namesNumber(trunk: NumberTrunk, user: string, number: string): boolean {
  const digits = number.replace(/^\+/, "");
  const prefix = trunk.techPrefix ?? "";
  const bare = user.startsWith(prefix) ? user.slice(prefix.length) : user;
  return [digits, `+${digits}`, `00${digits}`, formatNumber(trunk.numberFormat, digits)].includes(bare);
}

/** Marks the user part as a phone number (RFC 3261 §19.1.1) for carriers that require it. */
export function phoneParameters({ userPhone }: Pick<TrunkConfig, "userPhone">): Parameters {
  return new Map(userPhone === true ? [["user", "phone"]] : []);
}

function formatNumber(format: TrunkConfig["numberFormat"], digits: string): string {
  if (format === "e164_plus") return `+${digits}`;
  if (format === "e164") return digits;
  if (format === "00") return `00${digits}`;
  const { countryCode, trunkPrefix, internationalPrefix } = format.national;
  return digits.startsWith(countryCode) ? `${trunkPrefix}${digits.slice(countryCode.length)}` : `${internationalPrefix}${digits}`;
}
