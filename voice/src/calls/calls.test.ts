import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { PARK_TIMEOUT_MS } from "./call.ts";
import { CallProblem } from "./call-leg.ts";
import { answered, Bench, destination, dialled, settle, talking } from "../../test/calls-bench.ts";
import { parkRequest, RecordingLine } from "../../test/scripted-ports.ts";

/** Written out because callers and the service rely on these values. */
const ANSWERED_GRACE_MS = 45_000;
const UNANSWERED_GRACE_MS = 15_000;

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("a parked call", () => {
  test("is reported at once, and the browser gets ringing and our SDP answer", async () => {
    const bench = new Bench();
    bench.park();
    expect(bench.events).toEqual([expect.objectContaining({ type: "call.initiated", side: "browser", state: "parked" })]);
    await settle();
    expect(bench.line.sent).toEqual(["ringing", "media"]);
  });

  test("opens RTP to the far end before the command to dial", async () => {
    const bench = new Bench();
    const call = bench.park();
    await settle();
    expect(bench.media.last.rtpOpened).toBe(1);
    call.transfer(destination);
    await settle();
    expect(bench.network.calls).toHaveLength(1);
  });

  test.each([
    ["opus", true],
    ["g711", false],
  ] as const)("uses %s if all trunks for its number support Opus: %s", async (codec, opus) => {
    const bench = new Bench();
    bench.network.opus = opus;
    const call = bench.park();
    await settle();
    call.transfer(destination);
    await settle();
    expect(bench.media.last.codec).toBe(codec);
    expect(bench.network.last.request.codec).toBe(codec);
  });

  test("ends after the park time if it is not routed", async () => {
    const bench = new Bench();
    const call = bench.park();
    await vi.advanceTimersByTimeAsync(PARK_TIMEOUT_MS - 1);
    expect(call.over).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(bench.of("call.hangup")).toEqual([expect.objectContaining({ side: "browser", cause: "timeout", sip: 503 })]);
    expect(bench.calls.liveCalls).toBe(0);
  });

  test("must be routed in time even if it is answered by command", async () => {
    const bench = new Bench();
    bench.park().answer();
    await vi.advanceTimersByTimeAsync(PARK_TIMEOUT_MS);
    expect(bench.line.sent).toEqual(["ringing", "media", "answered", "ended"]);
  });

  test("with an unacceptable offer ends with 488", async () => {
    const bench = new Bench();
    bench.media.failWith = Object.assign(new Error("no audio"), { code: "bad_sdp" });
    bench.park();
    await settle();
    expect(bench.line.end?.sipStatus).toBe(488);
    expect(bench.of("call.hangup")).toHaveLength(1);
  });

  test("refuses to dial anything but E.164 numbers, without effect", async () => {
    const bench = new Bench();
    const call = bench.park();
    for (const to of ["911", "sip:eve@example.com", "442079460000", "+0123456789", "+44 20 7946 0000", "+1234567890123456"])
      expect(() => call.transfer({ ...destination, to })).toThrow(CallProblem);
    await settle();
    expect(bench.network.calls).toHaveLength(0);
    expect(call.far).toBeNull();
  });

  test.each([
    ["a number that it did not dial", "+442079460000", { to: "+881612345678" }],
    ["a number although it dialled an echo call", "echo", { to: "+442079460000" }],
    ["its number with more behind it", "+442079460000", { to: "+4420794600001" }],
    ["a caller id that is not the exchange's", "+442079460000", { from: "+442079460000" }],
    ["a caller id with a made-up proof", "+442079460000", { from: "+13035550100", fromProof: `abc.${"A".repeat(43)}` }],
  ])("is never transferred to %s", async (_what, dialled, command) => {
    const bench = new Bench();
    const call = bench.calls.park(parkRequest(bench.line, { to: dialled }));
    expect(() => call.transfer({ ...destination, ...command })).toThrow(CallProblem);
    await settle();
    expect(bench.network.calls).toHaveLength(0);
    expect(call.far).toBeNull();
  });

  test("is transferred to its number in any notation of the browser, but never with the browser's caller id", async () => {
    const bench = new Bench();
    bench.calls.park(parkRequest(bench.line, { to: "sip:442079460000@exchange.example" })).transfer(destination);
    await settle();
    expect(bench.network.last.request).toMatchObject({ to: destination.to, from: "+12025550143" });
    const forger = bench.calls.park(parkRequest(bench.line, { from: "+13035550100" }));
    expect(() => forger.transfer(destination)).toThrow(expect.objectContaining({ code: "bad_caller" }));
  });

  test("may show only a customer's number with a proof, until the number is removed", async () => {
    const bench = new Bench();
    const { proof: fromProof } = bench.callerIds.prove("+13035550100");
    expect(() => bench.park().transfer({ ...destination, from: "+13035550199", fromProof })).toThrow(
      expect.objectContaining({ code: "bad_caller" }),
    );
    const call = bench.park();
    call.transfer({ ...destination, from: "+13035550100", fromProof });
    await settle();
    expect(bench.network.last.request.from).toBe("+13035550100");
    bench.network.last.events.onAnswer({ sdp: "far-sdp", from: "+12025550143", dialog: "" });
    await settle();
    expect(call.far?.from).toBe("+12025550143");
    bench.callerIds.remove("+13035550100");
    expect(() => bench.park().transfer({ ...destination, from: "+13035550100", fromProof })).toThrow(CallProblem);
    const { proof } = bench.callerIds.prove("+13035550100");
    expect(() => bench.park().transfer({ ...destination, from: "+13035550100", fromProof: proof })).not.toThrow();
  });

  test("can be transferred only once", async () => {
    const bench = new Bench();
    const call = await dialled(bench);
    expect(() => call.transfer(destination)).toThrow("already has a destination");
    expect(bench.network.calls).toHaveLength(1);
  });

  test("can be transferred before its media is open, and is dialled once it is", async () => {
    const bench = new Bench();
    bench.media.holdBack();
    bench.park().transfer(destination);
    await settle();
    expect(bench.network.calls).toHaveLength(0);
    bench.media.release();
    await settle();
    expect(bench.network.last.request).toMatchObject({
      to: destination.to,
      from: "+12025550143",
      sdp: "rtp-sdp",
      ringTimeoutMs: 30_000,
    });
  });
});

describe("a dialled call", () => {
  test("does not play early media if the command forbids it", async () => {
    const bench = new Bench();
    const call = bench.park();
    call.transfer({ ...destination, earlyMedia: false });
    await settle();
    bench.network.last.progress("early-sdp");
    expect(bench.media.last.commands).toEqual(["ringback"]);
  });

  test("reports ringing to the caller once", async () => {
    const bench = new Bench();
    await dialled(bench);
    expect(bench.line.sent).toEqual(["ringing", "media"]);
    bench.network.last.progress(null);
    bench.network.last.progress("early-sdp");
    expect(bench.line.sent).toEqual(["ringing", "media", "far ringing"]);
  });

  test("reports the answer of both legs, then that they are bridged", async () => {
    const bench = new Bench();
    await answered(bench);
    expect(bench.events.map(({ type, side }) => `${type} ${side}`)).toEqual([
      "call.initiated browser",
      "call.initiated far",
      "call.answered far",
      "call.answered browser",
      "call.bridged browser",
      "call.bridged far",
    ]);
    expect(bench.line.sent).toEqual(["ringing", "media", "answered"]);
  });

  test.each([
    [486, null, "user_busy", "callee", 486],
    [404, null, "not_found", "callee", 404],
    [603, null, "call_rejected", "callee", 603],
    [480, null, "no_answer", "callee", 480],
    [503, null, "unspecified", "callee", 503],
    [500, 17, "user_busy", "callee", 486],
  ] as const)("that the network refuses with %i (Q.850 %s) ends as %s", async (...[sipStatus, q850Cause, cause, source, sip]) => {
    const bench = new Bench();
    await dialled(bench);
    bench.network.last.end({ sipStatus, q850Cause });
    await settle();
    expect(bench.of("call.hangup")).toEqual([
      expect.objectContaining({ side: "browser", cause, source, sip }),
      expect.objectContaining({ side: "far", cause, source, sip }),
    ]);
    expect(bench.line.end).toMatchObject({ cause, sipStatus: sip });
  });

  test("ends by time-out if it is not answered", async () => {
    const bench = new Bench();
    await dialled(bench);
    await vi.advanceTimersByTimeAsync(30_000);
    expect(bench.line.end).toMatchObject({ cause: "timeout", sipStatus: 480 });
  });

  test("is cancelled, not busy, if the caller hangs up before the answer", async () => {
    const bench = new Bench();
    const call = await dialled(bench);
    call.callerHungUp();
    await settle();
    expect(bench.network.last.ended).toBe(true);
    expect(bench.of("call.hangup")).toEqual([
      expect.objectContaining({ cause: "originator_cancel", source: "caller", sip: 487 }),
      expect.objectContaining({ cause: "originator_cancel", source: "caller", sip: 487 }),
    ]);
  });
});

describe("an answered call", () => {
  test("ends at its time limit, counted from the far end's answer", async () => {
    const bench = new Bench();
    const call = await dialled(bench);
    await vi.advanceTimersByTimeAsync(20_000);
    bench.network.last.answer();
    await vi.advanceTimersByTimeAsync(59_999);
    expect(call.over).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(bench.of("call.hangup").map(({ cause }) => cause)).toEqual(["time_limit", "time_limit"]);
    expect(bench.network.last.ended).toBe(true);
  });

  test("ends both legs when the far end hangs up", async () => {
    const bench = new Bench();
    await answered(bench);
    bench.network.last.end({ sipStatus: 200 });
    await settle();
    expect(bench.of("call.hangup").map(({ cause, source }) => `${cause} ${source}`)).toEqual([
      "normal_clearing callee",
      "normal_clearing callee",
    ]);
    expect(bench.line.sent.at(-1)).toBe("ended");
  });

  test("survives a lost connection only for the grace period", async () => {
    const bench = new Bench();
    const call = await talking(bench);
    call.connectionLost();
    await vi.advanceTimersByTimeAsync(ANSWERED_GRACE_MS - 1);
    call.connectionRestored();
    await vi.advanceTimersByTimeAsync(ANSWERED_GRACE_MS * 2);
    expect(call.over).toBe(false);
    call.connectionLost();
    await vi.advanceTimersByTimeAsync(ANSWERED_GRACE_MS);
    expect(bench.line.end).toMatchObject({ source: "caller", sipStatus: 408 });
  });

  test("survives a silent caller for the same grace period, counted from the start of the silence", async () => {
    const bench = new Bench();
    const call = await talking(bench);
    bench.media.last.hear({ heard: false, silentMs: 5_000 });
    await vi.advanceTimersByTimeAsync(ANSWERED_GRACE_MS - 5_001);
    bench.media.last.hear({ heard: true, hasSpoken: true });
    await vi.advanceTimersByTimeAsync(ANSWERED_GRACE_MS * 2);
    expect(call.over).toBe(false);
    bench.media.last.hear({ heard: false, silentMs: 5_000 });
    await vi.advanceTimersByTimeAsync(ANSWERED_GRACE_MS - 5_000);
    expect(bench.line.end).toMatchObject({ source: "caller", sipStatus: 408 });
    expect(call.far?.heardUntil?.getTime()).toBe(Date.now() - ANSWERED_GRACE_MS);
  });

  test("reports no silence of a caller who was heard until the end, or came back", async () => {
    const bench = new Bench();
    const lost = await talking(bench);
    lost.connectionLost();
    await vi.advanceTimersByTimeAsync(ANSWERED_GRACE_MS);
    expect([lost.over, lost.far?.heardUntil]).toEqual([true, null]);
    const back = await talking(bench);
    bench.media.last.hear({ heard: false, silentMs: 5_000 });
    bench.media.last.hear({ heard: true, hasSpoken: true });
    back.hangUp();
    expect(back.far?.heardUntil).toBeNull();
  });

  test("gives a reconnected caller a full grace period to be heard again", async () => {
    const bench = new Bench();
    const call = await talking(bench);
    call.connectionLost();
    bench.media.last.hear({ heard: false, silentMs: 2_000 });
    await vi.advanceTimersByTimeAsync(ANSWERED_GRACE_MS - 1);
    call.connectionRestored();
    await vi.advanceTimersByTimeAsync(ANSWERED_GRACE_MS - 1);
    expect(call.over).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(call.over).toBe(true);
  });

  test("has a shorter grace period before the answer", async () => {
    const bench = new Bench();
    const call = await dialled(bench);
    call.connectionLost();
    await vi.advanceTimersByTimeAsync(UNANSWERED_GRACE_MS);
    expect(bench.network.last.ended).toBe(true);
  });

  test("repeats missed messages when it is resumed, and offers new media only if the old is silent", async () => {
    const bench = new Bench();
    const call = await talking(bench);
    call.resume();
    await settle();
    expect(bench.line.sent.at(-1)).toBe("repeat");
    bench.media.last.heard = false;
    call.resume();
    await settle();
    expect(bench.line.sent.at(-1)).toBe("reoffer");
    await call.acceptMediaAnswer("answer-of-the-browser");
    expect(bench.media.last.commands.at(-1)).toBe("take answer-of-the-browser");
  });

  test("can be extended while it rings and after the answer, but never shortened", async () => {
    const bench = new Bench();
    const call = bench.park();
    expect(() => call.extend(90)).toThrow(expect.objectContaining({ code: "wrong_state" }));
    call.transfer(destination);
    await settle();
    call.extend(90);
    bench.network.last.answer();
    await vi.advanceTimersByTimeAsync(80_000);
    expect(() => call.extend(89)).toThrow(expect.objectContaining({ code: "bad_limit" }));
    call.extend(120);
    await vi.advanceTimersByTimeAsync(39_999);
    expect(call.over).toBe(false);
    await vi.advanceTimersByTimeAsync(1);
    expect(bench.line.end?.cause).toBe("time_limit");
    expect(() => call.extend(200)).toThrow(expect.objectContaining({ code: "ended" }));
  });

  test("as an echo call is answered and echoed without a far leg, and ends at its limit", async () => {
    const bench = new Bench();
    const call = bench.park();
    call.echo(30);
    await settle();
    expect(bench.line.sent.at(-1)).toBe("answered");
    expect(bench.media.last.commands).toEqual(["echo"]);
    expect(() => call.transfer(destination)).toThrow(expect.objectContaining({ code: "wrong_state" }));
    expect(() => call.echo(30)).toThrow(expect.objectContaining({ code: "wrong_state" }));
    await vi.advanceTimersByTimeAsync(30_000);
    expect(bench.line.end?.cause).toBe("time_limit");
    expect(bench.network.calls).toHaveLength(0);
    expect(bench.of("call.hangup")).toHaveLength(1);
  });

  test("answers a renegotiation with the media's SDP", async () => {
    const bench = new Bench();
    await answered(bench);
    await expect(bench.network.last.events.onRenegotiate("moved-sdp")).resolves.toBe("rtp-sdp");
    expect(bench.media.last.commands.at(-1)).toBe("connect moved-sdp");
  });
});

describe("the set of all calls", () => {
  test("limits calls per account and in total, and a refused call has no effect", () => {
    const bench = new Bench();
    for (let count = 0; count < 4; count += 1) bench.park();
    expect(() => bench.park()).toThrow("Too many calls of this account");
    for (let count = 0; count < 6; count += 1)
      bench.calls.park(parkRequest(new RecordingLine(), { accountId: `other-${count}` }));
    expect(() => bench.calls.park(parkRequest(new RecordingLine(), { accountId: "one-more" }))).toThrow("takes no more calls");
    expect(bench.of("call.initiated")).toHaveLength(10);
  });

  test("finds ended legs for a day, because the service may be without its database for hours", async () => {
    const bench = new Bench();
    const call = await answered(bench);
    call.hangUp();
    await settle();
    const id = call.far?.controlId ?? "";
    expect(bench.calls.find(id)).toMatchObject({ call: null, leg: { state: "hangup" } });
    vi.setSystemTime(Date.now() + 24 * 60 * 60_000 - 1);
    expect(bench.calls.find(id)).toMatchObject({ leg: { answeredAt: expect.any(Date), endedAt: expect.any(Date) } });
    vi.setSystemTime(Date.now() + 2);
    expect(bench.calls.find(id)).toBeNull();
  });

  test("ends all calls when it stops, and takes no new ones", async () => {
    const bench = new Bench();
    await answered(bench);
    const stopped = bench.calls.stop(2_000);
    await settle();
    await stopped;
    expect(bench.of("call.hangup")).toHaveLength(2);
    expect(() => bench.park()).toThrow("takes no more calls");
  });
});
