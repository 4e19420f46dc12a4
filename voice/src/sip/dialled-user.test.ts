import { describe, expect, it } from "vitest";
import { dialledUser, namesNumber } from "./dialled-user.ts";

const british = { national: { countryCode: "44", trunkPrefix: "0", internationalPrefix: "00" } };
const italian = { national: { countryCode: "39", trunkPrefix: "", internationalPrefix: "00" } };
const american = { national: { countryCode: "1", trunkPrefix: "1", internationalPrefix: "011" } };

describe("dialledUser", () => {
  it.each([
    ["e164_plus", undefined, "+442079460000"],
    ["e164", undefined, "442079460000"],
    ["00", undefined, "00442079460000"],
    ["e164", "1234#", "1234#442079460000"],
    [british, undefined, "02079460000"],
    [british, "9", "902079460000"],
    [italian, undefined, "00442079460000"],
    [american, undefined, "011442079460000"],
  ] as const)("%j with tech prefix %s", (numberFormat, techPrefix, user) => {
    const trunk = { numberFormat, techPrefix };
    expect(dialledUser(trunk, "+442079460000")).toBe(user);
    expect(namesNumber(trunk, user, "+442079460000")).toBe(true);
    expect(namesNumber(trunk, `${user}1`, "+442079460000")).toBe(false);
  });
});
