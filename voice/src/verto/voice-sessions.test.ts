import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Call } from "../calls/call.ts";
import { type SessionSocket, type VoiceAccount, type VoiceSession, VoiceSessions } from "./voice-sessions.ts";

const NODE = "a";
const NOBODY = { sessid: null, voiceSdkId: null };

let sessions: VoiceSessions;
beforeEach(() => {
  vi.useFakeTimers();
  sessions = new VoiceSessions(NODE);
});
afterEach(() => void vi.useRealTimers());

function accountOf(change: Partial<VoiceAccount> = {}): VoiceAccount {
  const own = { credentialId: "credential", accountId: "customer", sessionMark: "mark", username: "gencred1" };
  return { ...own, tokenExpiresAt: new Date(Date.now() + 3_600_000), ...change };
}

class FakeSocket implements SessionSocket {
  ended = false;
  readonly alive: boolean;
  constructor(alive = true) {
    this.alive = alive;
  }
  request(): void {}
  isAlive(): Promise<boolean> {
    return Promise.resolve(this.alive);
  }
  end(): void {
    this.ended = true;
  }
}

class FakeCall {
  readonly accountId: string;
  readonly told: string[] = [];
  constructor(accountId = "customer") {
    this.accountId = accountId;
  }
  resume(how?: { moved: boolean }): void {
    this.told.push(how?.moved === true ? "moved" : "resumed");
  }
  connectionRestored(): void {
    this.told.push("restored");
  }
  connectionLost(): void {
    this.told.push("lost");
  }
  hold(on: boolean): void {
    this.told.push(on ? "held" : "unheld");
  }
}

async function open(change: Partial<VoiceAccount> = {}, socket = new FakeSocket()): Promise<VoiceSession> {
  const session = await sessions.claim(accountOf(change), NOBODY);
  session!.attach(socket);
  return session!;
}

function startCall(session: VoiceSession, id = "call"): FakeCall {
  const call = new FakeCall(session.account.accountId);
  const line = { held: false, hungUpByBrowser: false, moveTo: () => {} };
  session.calls.set(id, { call: call as unknown as Call, line });
  return call;
}

const claimBy = (session: VoiceSession, by: "sessid" | "voiceSdkId", change: Partial<VoiceAccount> = {}) =>
  sessions.claim(accountOf(change), { ...NOBODY, [by]: session[by] });

describe("a session is claimed", () => {
  test.each(["sessid", "voiceSdkId"] as const)("by its %s, with a newer credential, once its socket is gone", async (by) => {
    const session = await open();
    session.detach();
    expect(await claimBy(session, by, { credentialId: "newer" })).toBe(session);
    expect(session.account.credentialId).toBe("newer");
    expect(sessions.ofCredential("newer")).toEqual([session]);
    expect(sessions.ofCredential("credential")).toEqual([]);
  });

  test("never by another customer, nor by another session of the same one", async () => {
    const session = await open();
    session.detach();
    for (const other of [{ accountId: "other" }, { sessionMark: "other" }])
      for (const by of ["sessid", "voiceSdkId"] as const) expect(await claimBy(session, by, other)).not.toBe(session);
    expect(session.account).toMatchObject({ accountId: "customer", sessionMark: "mark" });
  });

  test("only in place of a socket that is dead, which is closed", async () => {
    const [dead, live] = [new FakeSocket(false), new FakeSocket(true)];
    const [one, other] = [await open({}, dead), await open({}, live)];
    expect(await claimBy(one, "sessid")).toBe(one);
    expect(await claimBy(other, "sessid")).not.toBe(other);
    expect([dead.ended, live.ended]).toEqual([true, false]);
  });

  test("and keeps its token's session when the token is renewed", async () => {
    const session = await open();
    expect(session.renew(accountOf({ credentialId: "newer" }))).toBe(true);
    for (const other of [{ accountId: "other" }, { sessionMark: "other" }]) expect(session.renew(accountOf(other))).toBe(false);
    expect(session.account).toMatchObject({ credentialId: "newer", accountId: "customer", sessionMark: "mark" });
  });
});

describe("sessions are bounded", () => {
  test("one is forgotten after two minutes without a socket and a call", async () => {
    const [idle, calling, connected] = [await open(), await open(), await open()];
    startCall(calling);
    for (const session of [idle, calling]) session.detach();
    vi.advanceTimersByTime(120_000);
    sessions.forgetIdle();
    expect(await claimBy(idle, "sessid")).toBe(idle);
    idle.attach(new FakeSocket());
    idle.detach();
    vi.advanceTimersByTime(120_001);
    sessions.forgetIdle();
    expect(await claimBy(idle, "sessid")).not.toBe(idle);
    expect(await claimBy(calling, "sessid")).toBe(calling);
    expect(sessions.ofCredential("credential")).toContain(connected);
    calling.markEnded("call");
    vi.advanceTimersByTime(120_001);
    sessions.forgetIdle();
    expect(await claimBy(calling, "sessid")).not.toBe(calling);
  });

  test("there are so many at most, and a forgotten one makes room", async () => {
    sessions = new VoiceSessions(NODE, 2);
    const [first] = [await open(), await open()];
    expect(await sessions.claim(accountOf(), NOBODY)).toBeNull();
    sessions.forget(first);
    expect(await sessions.claim(accountOf(), NOBODY)).not.toBeNull();
  });

  test("sockets are counted by customer, those that are gone not", async () => {
    const [one] = [await open(), await open({ credentialId: "second" }), await open({ accountId: "other" })];
    expect(sessions.openSocketsOf("customer")).toBe(2);
    one.detach();
    expect(sessions.openSocketsOf("customer")).toBe(1);
  });
});

describe("a call", () => {
  test("is resumed when the SDK is ready, after a lost socket alone", async () => {
    const session = await open();
    session.registered();
    const call = startCall(session);
    session.registered();
    session.detach();
    session.attach(new FakeSocket());
    session.registered();
    session.registered();
    expect(call.told).toEqual(["lost", "restored", "resumed"]);
    expect(sessions.hasCall(session.voiceSdkId)).toBe(true);
    session.markEnded("call");
    expect([session.hasEnded("call"), sessions.hasCall(session.voiceSdkId), sessions.hasCall(null)]).toEqual([
      true,
      false,
      false,
    ]);
  });

  test("that began after the socket is not resumed by it", async () => {
    const session = await open();
    session.detach();
    session.attach(new FakeSocket());
    const call = startCall(session);
    session.registered();
    expect(call.told).toEqual([]);
  });

  test("moves to a browser of the session that asks, and is there once", async () => {
    const [from, to] = [await open(), await open({ credentialId: "second" })];
    const call = startCall(from);
    const move = () => sessions.move(call as unknown as Call, to.sessid, ({ sessionMark }) => sessionMark === "mark");
    move();
    expect([...to.calls.keys()]).toEqual(["call"]);
    expect(call.told).toEqual(["restored", "moved"]);
    from.calls.clear();
    move();
    expect(call.told).toEqual(["restored", "moved"]);
  });

  test.each([
    ["another customer's browser", { accountId: "other" }, true],
    ["a browser of another session", { sessionMark: "other" }, true],
    ["a browser that is not connected", {}, false],
  ])("does not move to %s", async (_name, change, isConnected) => {
    const [from, to] = [await open(), await open(change)];
    if (!isConnected) to.detach();
    const call = startCall(from);
    expect(() => sessions.move(call as unknown as Call, to.sessid, ({ sessionMark }) => sessionMark === "mark")).toThrow(
      "There is no such browser of this account",
    );
    expect(() => sessions.move(call as unknown as Call, "unknown", () => true)).toThrow("There is no such browser");
    expect([to.calls.size, call.told]).toEqual([0, []]);
  });

  test("that no browser has does not move", async () => {
    const to = await open();
    startCall(await open());
    expect(() => sessions.move(new FakeCall() as unknown as Call, to.sessid, () => true)).toThrow("There is no such browser");
  });
});

test("a socket stays open after its last call while the exchange does not drain", async () => {
  const socket = new FakeSocket();
  const session = await open({}, socket);
  startCall(session);
  session.markEnded("call");
  expect(socket.ended).toBe(false);
});

test("while the exchange drains, a socket is closed once its last call is over", async () => {
  const [calling, socket] = [await open(), new FakeSocket()];
  calling.attach(socket);
  startCall(calling, "one");
  startCall(calling, "two");
  calling.markEnded("one");
  sessions.drain();
  calling.endIfLeaving();
  expect(socket.ended).toBe(false);
  calling.markEnded("two");
  expect(socket.ended).toBe(true);
  expect((await open()).leaving).toBe(true);
});
