import { describe, expect, it } from "vitest";
import { callMarker } from "../call/call-marker.ts";
import { ServiceRefusal } from "../call/call-service.ts";
import { type Bench, connected, createBench, dialled, ghana } from "../../../test/scripted-line.ts";
import { inScriptedTab, pass } from "../../../test/scripted-tab.ts";

inScriptedTab();

describe("a lost connection", () => {
  it("continues with the new call object, muted as before", async () => {
    const bench = createBench();
    await connected(bench);
    bench.phone.toggleMute();
    const old = bench.call();
    bench.client().lose();
    expect(bench.phone.state).toMatchObject({ line: "reconnecting", call: { reconnecting: true } });
    bench.client().ready();
    const revived = bench.client().revive(old);
    expect(bench.phone.state).toMatchObject({ status: "active", call: { reconnecting: false, muted: true } });
    expect(revived.muted).toBe(true);
    old.change("destroy");
    expect(bench.phone.state.status).toBe("active");
    bench.phone.hangUp();
    expect(revived.state).toBe("destroy");
  });

  it("hangs up a call that was ended offline and returns with an open microphone", async () => {
    const bench = createBench();
    await connected(bench);
    const ended = bench.call();
    bench.client().lose();
    bench.phone.hangUp();
    await pass(2000);
    bench.client().ready();
    const revived = bench.client().revive(ended);
    await pass(0);
    expect(revived.state).toBe("destroy");
    expect(revived.hangups).toBe(1);
    expect(bench.phone.state.status).toBe("idle");
  });

  it("reports a lost connection if the provider dropped the call, whatever cause the SDK gives", async () => {
    const bench = createBench();
    await connected(bench);
    bench.client().lose();
    bench.client().emit("telnyx.error", { error: { code: 48501 }, callId: bench.call().id });
    bench.call().change("hangup", { cause: "USER_BUSY" });
    expect(bench.phone.state).toMatchObject({ status: "ended", call: { endReason: "connection_lost" } });
  });

  it("ends the call when the SDK stops trying to reconnect", async () => {
    const bench = createBench();
    await connected(bench);
    bench.client().lose();
    bench.client().emit("telnyx.error", { error: { code: 45003 } });
    expect(bench.phone.state).toMatchObject({ status: "ended", line: "failed", lineError: { code: "connect_failed" } });
  });

  describe("a call dialled on a line that was already lost", () => {
    /** The line is back, and the SDK says that the provider does not know the call. */
    function lineIsBackWithout(bench: Bench): void {
      const lost = bench.call();
      bench.client().emit("telnyx.error", { error: { code: 48501 }, callId: lost.id });
      lost.change("hangup", { cause: "USER_BUSY" });
      lost.change("destroy");
      bench.client().ready();
    }

    it("is dialled once more with its ticket, and goes on as one call", async () => {
      const bench = createBench();
      await dialled(bench);
      bench.client().lose();
      lineIsBackWithout(bench);
      await pass(0);
      const [first, second] = bench.client().calls;
      expect(second?.id).not.toBe(first?.id);
      expect(bench.client().tickets).toEqual([bench.service.tickets[0], bench.service.tickets[0]]);
      expect(callMarker.get()).toMatchObject({ callId: "call-1", lineId: second?.id });
      expect(bench.microphone.open).toBe(2);
      bench.client().ring(bench.call());
      bench.call().change("active");
      expect(bench.phone.state).toMatchObject({ status: "active", error: null, call: { callId: "call-1" } });
      expect(bench.log.filter((line) => line === "initiate")).toHaveLength(1);
    });

    it("fails if it is lost again", async () => {
      const bench = createBench();
      await dialled(bench);
      lineIsBackWithout(bench);
      await pass(0);
      lineIsBackWithout(bench);
      await pass(10_000);
      expect(bench.client().calls).toHaveLength(2);
      expect(bench.phone.state).toMatchObject({ status: "idle", error: { code: "never_connected" } });
      expect(bench.service.record("call-1").status).toBe("failed");
    });

    it("is not dialled again if the provider had it, which may have dialled", async () => {
      const bench = createBench();
      await dialled(bench);
      bench.call().change("trying");
      lineIsBackWithout(bench);
      await pass(2000);
      expect(bench.client().calls).toHaveLength(1);
      expect(bench.phone.state).toMatchObject({ status: "idle", error: { code: "never_connected" } });
    });

    it("ends if its caller hangs up before the line is back", async () => {
      const bench = createBench();
      await dialled(bench);
      bench.client().lose();
      bench.client().emit("telnyx.error", { error: { code: 48501 }, callId: bench.call().id });
      bench.phone.hangUp();
      bench.client().ready();
      await pass(2500);
      expect(bench.client().calls).toHaveLength(1);
      expect(bench.phone.state.status).toBe("idle");
      expect(bench.microphone.open).toBe(0);
    });
  });

  it("ignores a busy signal for a number that was never called", async () => {
    const bench = createBench();
    await dialled(bench);
    bench.client().emit("telnyx.error", { error: { code: 40001 }, callId: bench.call().id });
    bench.call().change("hangup", { cause: "USER_BUSY" });
    expect(bench.phone.state).toMatchObject({ status: "idle", error: { code: "never_connected" } });
  });
});

describe("in the call", () => {
  it("mutes, holds and resumes", async () => {
    const bench = createBench();
    await connected(bench);
    expect(bench.phone.toggleMute()).toBe(true);
    expect(bench.phone.toggleMute()).toBe(false);
    expect(await bench.phone.toggleHold()).toBe(true);
    expect(bench.phone.state.call?.held).toBe(true);
    expect(await bench.phone.toggleHold()).toBe(true);
    expect(bench.phone.state).toMatchObject({ status: "active", call: { held: false } });
  });

  it("refuses to hold while the connection is down, because the SDK would queue the request for ever", async () => {
    const bench = createBench();
    await connected(bench);
    bench.client().lose();
    expect(await bench.phone.toggleHold()).toBe(false);
  });

  it("sends digits in order, waits while the connection is down, and refuses a code that does not fit whole", async () => {
    const bench = createBench();
    await connected(bench);
    expect(bench.phone.sendDigits("12x#")).toBe("12#");
    await pass(200);
    expect(bench.call().digits).toBe("12");
    bench.client().lose();
    await pass(2000);
    expect(bench.call().digits).toBe("12");
    bench.client().ready();
    await pass(200);
    expect(bench.call().digits).toBe("12#");
    expect(bench.phone.sendDigits("1".repeat(65))).toBeNull();
    expect(bench.phone.state.call?.digits).toBe("12#");
    expect(bench.phone.sendDigits("1".repeat(64))).toHaveLength(64);
    expect(bench.phone.state.call?.digits).toHaveLength(67);
  });

  it("sends no digits before the answer", async () => {
    const bench = createBench();
    await dialled(bench);
    expect(bench.phone.sendDigits("1")).toBe("");
  });

  it("hangs up an incoming call", async () => {
    const bench = createBench();
    await connected(bench);
    const stranger = bench.client().revive({ ...bench.call(), id: "stranger" } as never);
    await pass(0);
    expect(stranger.state).toBe("destroy");
    expect(bench.phone.state.status).toBe("active");
  });
});

describe("the line", () => {
  it("is connected once for many requests", async () => {
    const bench = createBench();
    await Promise.all([bench.phone.prepare(), bench.phone.prepare()]);
    await bench.phone.prepare();
    expect(bench.clients).toHaveLength(1);
    expect(bench.phone.state.line).toBe("ready");
  });

  it("treats a registered session as ready if the gateway does not say so", async () => {
    const bench = createBench((client) => {
      client.onConnect = () => {
        client.connected = true;
        client.registered = true;
      };
    });
    const prepared = bench.phone.prepare();
    await pass(8000);
    await prepared;
    expect(bench.phone.state.line).toBe("ready");
  });

  it("tries five times, each with a new token, then reports failure and stops", async () => {
    const bench = createBench((client) => {
      client.onConnect = () => queueMicrotask(() => client.emit("telnyx.error", { error: { code: 46001 } }));
    });
    const prepared = bench.phone.prepare();
    await pass(120_000);
    await prepared;
    expect(bench.clients).toHaveLength(5);
    expect(bench.service.tokens).toBe(5);
    expect(bench.phone.state).toMatchObject({ line: "failed", lineError: { code: "register_failed" } });
  });

  it("does not retry if the service says that nobody is signed in", async () => {
    const bench = createBench();
    bench.service.refuseToken = new ServiceRefusal({ status: 401, code: "unauthenticated", message: "Sign in." });
    await bench.phone.prepare();
    expect(bench.service.tokens).toBe(1);
    expect(bench.phone.state).toMatchObject({ line: "failed", lineError: { code: "line_init_failed" } });
  });

  it("stays off, without a failure, while the caller has no credit, and opens once there is some", async () => {
    const bench = createBench();
    bench.service.refuseToken = new ServiceRefusal({ status: 402, code: "no_credit", message: "Add credit first." });
    await bench.phone.prepare();
    expect(bench.service.tokens).toBe(1);
    expect(bench.phone.state).toMatchObject({ line: "off", lineError: { serviceCode: "no_credit" }, error: null });
    bench.service.refuseToken = null;
    await bench.phone.prepare();
    expect(bench.phone.state).toMatchObject({ line: "ready" });
  });

  it("closes when a caller without credit gets no further token", async () => {
    const bench = createBench();
    await bench.phone.prepare();
    bench.service.refuseToken = new ServiceRefusal({ status: 402, code: "no_credit", message: "Add credit first." });
    await pass(0.8 * 3_600_000);
    expect(bench.phone.state).toMatchObject({ line: "off", lineError: null });
  });

  it("renews its login at 80 % of the token's lifetime", async () => {
    const bench = createBench();
    await bench.phone.prepare();
    await pass(0.8 * 3_600_000);
    expect(bench.client().logins).toEqual(["token-2"]);
    expect(bench.clients).toHaveLength(1);
  });

  it("signs in again with a fresh token when a reconnect is refused in mid-call", async () => {
    const bench = createBench();
    await connected(bench);
    bench.client().lose();
    bench.client().connected = true;
    bench.client().emit("telnyx.error", { error: { code: 46001 } });
    await pass(1000);
    expect(bench.client().logins).toEqual(["token-2"]);
    bench.client().ready();
    expect(bench.phone.state).toMatchObject({ status: "active", line: "ready" });
  });

  it("reconnects for the next call after the provider closed it", async () => {
    const bench = createBench();
    await bench.phone.prepare();
    bench.client().emit("telnyx.socket.message", { method: "telnyx_rtc.punt", params: {} });
    await pass(0);
    expect(bench.phone.state.line).toBe("off");
    bench.phone.dial(ghana);
    await pass(0);
    expect(bench.clients).toHaveLength(2);
    expect(bench.client().calls).toHaveLength(1);
  });

  it("drops the session at sign-out, ends the call, and starts afresh for the next user", async () => {
    const bench = createBench();
    await connected(bench);
    const first = bench.client();
    bench.phone.signOut();
    await pass(0);
    expect(first.forgotten).toBe(true);
    expect(bench.log).toContain("hangup call-1");
    expect(bench.phone.state).toMatchObject({ status: "idle", line: "off", lastCall: null });
    await pass(60_000);
    expect(bench.phone.state).toMatchObject({ status: "idle", lastCall: null });
    await dialled(bench);
    expect(bench.clients).toHaveLength(2);
    expect(bench.client().calls).toHaveLength(1);
  });
});
