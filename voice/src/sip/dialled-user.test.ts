import { describe, expect, it } from "vitest";
import { dialledUser, namesNumber } from "./dialled-user.ts";

describe("the number in a trunk's form", () => {
  it.each([
    ["e164_plus", undefined, "+442079460000"],
    ["e164", undefined, "442079460000"],
    ["00", undefined, "00442079460000"],
    ["e164", "1234#", "1234#442079460000"],
  ] as const)("%s with tech prefix %s", (numberFormat, techPrefix, user) => {
    const trunk = { numberFormat, techPrefix };
    expect(dialledUser(trunk, "+442079460000")).toBe(user);
    expect(namesNumber(trunk, user, "+442079460000")).toBe(true);
    expect(namesNumber(trunk, `${user}1`, "+442079460000")).toBe(false);
  });
});
