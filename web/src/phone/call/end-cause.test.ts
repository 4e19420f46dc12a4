import { describe, expect, it } from "vitest";
import { reasonFromCause, reasonFromVoiceError } from "./end-cause.ts";

describe("the end of an unanswered call", () => {
  it.each([
    ["USER_BUSY", 486, "busy"],
    ["USER_BUSY", 600, "busy"],
    ["USER_BUSY", null, "never_connected"],
    ["NO_ANSWER", 480, "no_answer"],
    ["NO_USER_RESPONSE", 408, "no_answer"],
    ["CALL_REJECTED", 403, "rejected"],
    ["CALL_REJECTED", 603, "rejected"],
    ["UNALLOCATED_NUMBER", 404, "invalid_number"],
    ["INVALID_NUMBER_FORMAT", 484, "invalid_number"],
    ["ORIGINATOR_CANCEL", 487, "cancelled"],
    ["MEDIA_TIMEOUT", 408, "sound_blocked"],
    ["NORMAL_TEMPORARY_FAILURE", 503, "network_failure"],
    ["SOMETHING_NEW", null, "network_failure"],
    [undefined, undefined, "network_failure"],
  ] as const)("%s with SIP %s is %s", (cause, sipCode, reason) => {
    expect(reasonFromCause({ cause, sipCode }, false)).toBe(reason);
  });
});

it("treats every end of an answered call as a hang-up", () => {
  expect(reasonFromCause({ cause: "NORMAL_CLEARING", sipCode: 200 }, true)).toBe("hangup");
});

it("maps SDK errors that end a call, and ignores the others", () => {
  expect(reasonFromVoiceError(48501, true)).toBe("connection_lost");
  expect(reasonFromVoiceError(48501, false)).toBe("never_connected");
  expect(reasonFromVoiceError(42001, false)).toBe("never_connected");
  expect(reasonFromVoiceError(44001, true)).toBeNull();
});
