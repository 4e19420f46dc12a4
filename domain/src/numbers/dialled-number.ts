/**
 * The number that a leg dialled, in E.164. It may be given as a SIP URI and without the plus.
 * @returns null for anything else
 */
export function dialledNumber(to: string | null): string | null {
  const match = /^(?:sips?:)?\+?([1-9]\d{5,14})(?:[@;].*)?$/i.exec(to ?? "");
  return match === null ? null : `+${match[1]}`;
}
