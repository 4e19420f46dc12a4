import { describe, expect, it } from "vitest";
import { ServiceRefusal } from "./call/call-service.ts";
import { PhoneError } from "./phone-error.ts";
import { connected, createBench, dialled, ghana } from "../../test/scripted-line.ts";
import { inScriptedTab, pass } from "../../test/scripted-tab.ts";

inScriptedTab();

describe("starting a call", () => {
  it("opens the microphone, then holds credit, then calls with the ticket that it generated", async () => {
    const bench = createBench();
    await dialled(bench);
    expect(bench.log).toEqual(["connect", "microphone", "initiate", "newCall +233200000142 from +15550001111"]);
    expect(bench.client().tickets).toEqual(bench.service.tickets);
    expect(bench.client().tickets[0]).toMatch(/^[A-Za-z0-9_-]{43}$/);
    expect(bench.phone.state.status).toBe("initializing");
    expect(bench.phone.state.call).toMatchObject({ callId: "call-1", number: "+233200000142" });
  });

  it("holds no credit when the microphone is refused", async () => {
    const bench = createBench();
    bench.microphone.refuse = new PhoneError("microphone_denied");
    await dialled(bench);
    expect(bench.log).not.toContain("initiate");
    expect(bench.phone.state).toMatchObject({ status: "idle", call: null, error: { code: "microphone_denied" } });
  });

  it("holds no credit while another tab calls", async () => {
    const bench = createBench();
    bench.otherTabCalls = true;
    await dialled(bench);
    expect(bench.log).toEqual(["connect"]);
    expect(bench.phone.state.error?.code).toBe("other_tab");
  });

  it("holds no credit if the line does not connect, and says so", async () => {
    const bench = createBench((client) => (client.onConnect = () => undefined));
    bench.phone.dial(ghana);
    await pass(12_000);
    expect(bench.log).not.toContain("initiate");
    expect(bench.phone.state).toMatchObject({ status: "idle", error: { code: "line_not_connected" } });
    expect(bench.microphone.open).toBe(0);
  });

  it("shows the service's message and code after a refusal", async () => {
    const bench = createBench();
    bench.service.refuse = new ServiceRefusal({
      status: 402,
      code: "insufficient_credit",
      message: "Too little credit.",
    });
    await dialled(bench);
    expect(bench.phone.state.error).toMatchObject({
      code: "initiate_failed",
      message: "Too little credit.",
      serviceCode: "insufficient_credit",
    });
    expect(bench.log.filter((line) => line === "initiate")).toHaveLength(1);
    expect(bench.microphone.open).toBe(0);
  });

  it("shows the service's message when it refuses the line", async () => {
    const bench = createBench();
    bench.service.refuseToken = new ServiceRefusal({ status: 403, code: "account_frozen", message: "Your account is locked." });
    await dialled(bench);
    expect(bench.phone.state.error).toMatchObject({ message: "Your account is locked.", serviceCode: "account_frozen" });
  });

  it("repeats the request if the answer to initiate was lost", async () => {
    const bench = createBench();
    bench.service.refuse = new TypeError("network");
    await dialled(bench);
    bench.service.refuse = null;
    await pass(500);
    expect(bench.client().calls).toHaveLength(1);
  });

  it("hangs the leg up if the caller hangs up during the request, and releases the credit", async () => {
    const bench = createBench();
    let allow = (): void => undefined;
    bench.service.initiateWaits = new Promise((resolve) => (allow = resolve));
    await dialled(bench);
    bench.phone.hangUp();
    expect(bench.phone.state.status).toBe("ended");
    allow();
    await pass(0);
    expect(bench.call().state).toBe("destroy");
    expect(bench.log).toContain("hangup call-1");
    expect(bench.microphone.open).toBe(0);
  });

  it("generates a new ticket for each call", async () => {
    const bench = createBench();
    await dialled(bench);
    bench.phone.hangUp();
    await pass(2000);
    await dialled(bench);
    expect(new Set(bench.service.tickets).size).toBe(2);
  });

  it("ignores a second dial while a call is open", async () => {
    const bench = createBench();
    await dialled(bench);
    bench.phone.dial(ghana);
    await pass(0);
    expect(bench.client().calls).toHaveLength(1);
  });
});

describe("ringing and answering", () => {
  it("rings on the provider's ringing message", async () => {
    const bench = createBench();
    await dialled(bench);
    bench.client().ring(bench.call());
    expect(bench.phone.state.status).toBe("ringing");
  });

  it("plays local ringback from the far end's ringing until the line's own is audible", async () => {
    const bench = createBench();
    await dialled(bench);
    bench.client().park(bench.call());
    expect(bench.log).not.toContain("ring");
    bench.client().farRings(bench.call());
    expect(bench.log.at(-1)).toBe("ring");
    bench.call().connectSound();
    await pass(79);
    expect(bench.log.at(-1)).toBe("ring");
    await pass(1);
    expect(bench.log.at(-1)).toBe("ring stops");
  });

  it("plays local ringback over a line that is connected, until the line's own arrives, and only once", async () => {
    const bench = createBench();
    await dialled(bench);
    bench.call().connectSound();
    bench.client().farRings(bench.call());
    expect(bench.log.at(-1)).toBe("ring");
    await pass(80);
    bench.client().farRings(bench.call());
    expect(bench.log.at(-1)).toBe("ring stops");
  });

  it("plays no local ringback after the end or the answer", async () => {
    const cancelled = createBench();
    await dialled(cancelled);
    cancelled.client().farRings(cancelled.call());
    cancelled.phone.hangUp();
    expect(cancelled.log).toContain("ring stops");
    const answered = createBench();
    await dialled(answered);
    answered.client().farRings(answered.call());
    answered.call().change("active");
    expect(answered.log).toContain("ring stops");
  });

  it("shows no ringing before the exchange says that the far phone rings, whatever else happens", async () => {
    const bench = createBench();
    await dialled(bench);
    bench.client().park(bench.call());
    bench.call().change("early");
    bench.service.change("call-1", { status: "ringing" });
    await pass(2000);
    expect(bench.phone.state.status).toBe("initializing");
    bench.client().farRings(bench.call());
    expect(bench.phone.state.status).toBe("ringing");
  });

  it("rings on early sound", async () => {
    const bench = createBench();
    await dialled(bench);
    bench.call().change("trying");
    bench.call().change("early");
    expect(bench.phone.state.status).toBe("ringing");
  });

  it("starts the timer only at the first active state, and adopts the service's time of the answer", async () => {
    const bench = createBench();
    await connected(bench);
    expect(bench.phone.state).toMatchObject({ status: "active", call: { elapsedSeconds: 0, secondsLeft: 600 } });
    await pass(500);
    bench.service.change("call-1", { status: "in-progress", answered_at: new Date(Date.now() - 1500).toISOString() });
    await pass(1600);
    expect(bench.phone.state.call?.elapsedSeconds).toBe(3);
    bench.call().change("early");
    bench.call().change("active");
    await pass(1000);
    expect(bench.phone.state).toMatchObject({ status: "active", call: { elapsedSeconds: 4 } });
  });

  it("warns 60 and 15 seconds before the credit is used up, and stops warning when it is extended", async () => {
    const bench = createBench();
    await connected(bench);
    await pass(539_000);
    expect(bench.phone.state.call?.creditWarning).toBeNull();
    await pass(1000);
    expect(bench.phone.state.call).toMatchObject({ creditWarning: 60, secondsLeft: 60 });
    await pass(45_000);
    expect(bench.phone.state.call).toMatchObject({ creditWarning: 15, secondsLeft: 15 });
    bench.service.change("call-1", { max_seconds: 1200 });
    await pass(3000);
    expect(bench.phone.state.call?.creditWarning).toBeNull();
  });
});

describe("watchdogs", () => {
  it("gives up 15 s after newCall if the provider never answers the invite", async () => {
    const bench = createBench();
    await dialled(bench);
    await pass(14_999);
    expect(bench.phone.state.status).toBe("initializing");
    await pass(1);
    expect(bench.phone.state).toMatchObject({ status: "idle", error: { code: "never_connected" } });
    expect(bench.log).toContain("hangup call-1");
    expect(bench.call().state).toBe("destroy");
  });

  it("waits longer for the first ring once the provider has taken the call", async () => {
    const bench = createBench();
    await dialled(bench);
    bench.call().change("trying");
    await pass(44_999);
    expect(bench.phone.state.status).toBe("initializing");
    await pass(1);
    expect(bench.phone.state.error?.code).toBe("never_connected");
  });

  it("stops ringing after 75 s", async () => {
    const bench = createBench();
    await dialled(bench);
    bench.client().ring(bench.call());
    await pass(75_000);
    expect(bench.phone.state).toMatchObject({ status: "ended", call: { endReason: "no_answer" } });
    expect(bench.log).toContain("hangup call-1");
  });

  it("hangs up if the service reports an answer and the line does not open within 10 s", async () => {
    const bench = createBench();
    await dialled(bench);
    bench.client().ring(bench.call());
    bench.service.change("call-1", { status: "in-progress", answered_at: new Date().toISOString() });
    await pass(1000);
    await pass(10_000);
    expect(bench.phone.state.status).toBe("ended");
    expect(bench.log).toContain("hangup call-1");
  });
});

describe("ending", () => {
  it("shows Call Ended for 2 s and then is idle, with the final charge", async () => {
    const bench = createBench();
    await connected(bench);
    await pass(10_000);
    const hangup = bench.service.hangup.bind(bench.service);
    bench.service.hangup = async (callId) => {
      bench.service.change(callId, { answered_at: "2026-05-18T19:42:00.000Z", cost: "0.0237", duration_seconds: 10 });
      return hangup(callId);
    };
    bench.phone.hangUp();
    expect(bench.phone.state).toMatchObject({ status: "ended", call: { muted: false, endReason: "hangup" } });
    await pass(1999);
    expect(bench.phone.state.status).toBe("ended");
    await pass(1);
    expect(bench.phone.state).toMatchObject({
      status: "idle",
      call: null,
      lastCall: { callId: "call-1", record: { status: "completed", cost: "0.0237" } },
    });
    expect(bench.microphone.open).toBe(0);
  });

  it("notifies the service and the line once, even if the caller presses twice and the line reports the end twice", async () => {
    const bench = createBench();
    await connected(bench);
    bench.phone.hangUp();
    bench.phone.hangUp();
    bench.call().change("hangup", { cause: "NORMAL_CLEARING" });
    bench.call().change("destroy", { cause: "ORIGINATOR_CANCEL" });
    await pass(2000);
    expect(bench.log.filter((line) => line === "hangup call-1")).toHaveLength(1);
    expect(bench.log.filter((line) => line.startsWith("bye "))).toHaveLength(1);
    expect(bench.phone.state.status).toBe("idle");
  });

  it("takes the end reason from the service if the line ended the call", async () => {
    const bench = createBench();
    await dialled(bench);
    bench.client().ring(bench.call());
    bench.call().change("hangup", { cause: "USER_BUSY", sipCode: 486 });
    expect(bench.phone.state.call?.endReason).toBe("busy");
    bench.service.change("call-1", { status: "failed", end_reason: "rejected" });
    await pass(300);
    expect(bench.phone.state.call?.endReason).toBe("rejected");
    expect(bench.log).not.toContain("hangup call-1");
  });

  it("ends the call at the service if the provider reports nothing", async () => {
    const bench = createBench();
    await connected(bench);
    bench.call().change("hangup", { cause: "NORMAL_CLEARING" });
    await pass(6000);
    expect(bench.log).toContain("hangup call-1");
    expect(bench.phone.state.lastCall?.record?.status).toBe("failed");
  });

  it("ends with the next poll if the service says the call is over", async () => {
    const bench = createBench();
    await connected(bench);
    await pass(1000);
    bench.service.change("call-1", { status: "completed", end_reason: "credit_used_up", answered_at: new Date().toISOString() });
    await pass(2000);
    expect(bench.phone.state).toMatchObject({ status: "ended", call: { endReason: "credit_used_up" } });
    expect(bench.call().state).toBe("destroy");
    expect(bench.log).not.toContain("hangup call-1");
  });

  it("does not end the next call if another user has signed in", async () => {
    const bench = createBench();
    await connected(bench);
    const stop = bench.phone.subscribe(() => {
      if (bench.phone.state.status !== "ended") return;
      stop();
      bench.phone.signOut();
    });
    bench.phone.hangUp();
    await dialled(bench);
    await pass(3000);
    expect(bench.phone.state).toMatchObject({ status: "initializing", call: { callId: "call-2" } });
  });

  it("keeps retrying, within bounds, while the service cannot be reached", async () => {
    const bench = createBench();
    await connected(bench);
    bench.service.unreachable = true;
    bench.phone.hangUp();
    await pass(60_000);
    expect(bench.log.filter((line) => line === "hangup call-1")).toHaveLength(4);
    expect(bench.phone.state.status).toBe("idle");
  });
});
