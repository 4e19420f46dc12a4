import { describe, expect, it } from "vitest";
import type { FarEnd } from "../sip/trunk.ts";
import { endOfFarCall } from "./hangup-causes.ts";

const refused: FarEnd = { sipStatus: 486, reason: "", q850Cause: null, by: "callee", answered: false, trunk: "main" };

describe("an unanswered call that the network ended", () => {
  it.each([
    ["busy", { sipStatus: 486 }, "user_busy"],
    ["busy whatever the cause says", { sipStatus: 486, q850Cause: 16 }, "user_busy"],
    ["busy in a carrier that says it by the cause", { sipStatus: 480, q850Cause: 17 }, "user_busy"],
    ["not answered", { sipStatus: 480 }, "no_answer"],
    ["not answered, with a cause that says nothing", { sipStatus: 480, q850Cause: 16 }, "no_answer"],
    ["not the called party's doing when the network is full", { sipStatus: 480, q850Cause: 34 }, "unspecified"],
    ["nor when it is out of order", { sipStatus: 480, q850Cause: 38 }, "unspecified"],
    ["a number that is not in service", { sipStatus: 500, q850Cause: 1 }, "not_found"],
    ["ended by the carrier before anybody answered", { sipStatus: 487 }, "no_answer"],
    ["ended by the carrier, with its cause", { sipStatus: 487, q850Cause: 21 }, "call_rejected"],
    ["cancelled by us", { sipStatus: 487, by: "us" }, "originator_cancel"],
    ["declined by an answer that is over before its sound flows", { sipStatus: 200 }, "call_rejected"],
    ["rung too long", { sipStatus: 487, by: "timeout" }, "timeout"],
  ] as const)("is %s", (_what, end, cause) => {
    expect(endOfFarCall({ ...refused, ...end }).cause).toBe(cause);
  });

  it.each([
    [{ sipStatus: 480, q850Cause: 17 }, 486],
    [{ sipStatus: 480, q850Cause: 34 }, 503],
    [{ sipStatus: 487 }, 480],
    [{ sipStatus: 500, q850Cause: 1 }, 404],
    [{ sipStatus: 486 }, 486],
    [{ sipStatus: 200 }, 603],
    [{ sipStatus: 503 }, 503],
  ])("%o is reported with status %i, which has the same cause", (end, status) => {
    expect(endOfFarCall({ ...refused, ...end }).sipStatus).toBe(status);
  });
});
