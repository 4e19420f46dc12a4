import { beforeEach, describe, expect, it, vi } from "vitest";
import { connected, createBench } from "../../test/scripted-line.ts";
import { inScriptedTab, pass } from "../../test/scripted-tab.ts";
import { hearServiceTime } from "../time/clock.ts";

inScriptedTab();

const HOUR_MS = 3_600_000;
const YEAR_MS = 365 * 24 * HOUR_MS;
const TRUE_MS = Date.parse("2026-05-18T19:42:00.000Z");

/** The service's clock runs beside the device's. */
let startedAt: number;
let sleptMs = 0;
const trueNow = (): number => TRUE_MS + sleptMs + performance.now() - startedAt;
const trueInstant = (inMs = 0): string => new Date(trueNow() + inMs).toISOString();

beforeEach(() => {
  startedAt = performance.now();
  sleptMs = 0;
});

/** A service that answers over HTTP, with a Date. */
function createTruePage() {
  const bench = createBench();
  const { service } = bench;
  const answers = () =>
    hearServiceTime(
      new Response(null, { headers: { Date: new Date(trueNow()).toUTCString(), "Cache-Control": "no-store" } }),
      performance.now(),
    );
  const getVoiceToken = service.getVoiceToken.bind(service);
  service.getVoiceToken = async () => {
    answers();
    return { ...(await getVoiceToken()), expires_at: trueInstant(service.tokenLifeMs) };
  };
  const stay = service.stay.bind(service);
  service.stay = async (id) => {
    answers();
    return stay(id);
  };
  return bench;
}

describe.each([
  ["26 hours fast", 26 * HOUR_MS],
  ["two years fast", 2 * YEAR_MS],
  ["two years slow", -2 * YEAR_MS],
  ["of 1970", 86_400_000 - TRUE_MS],
  ["of 2100", Date.parse("2100-01-01") - TRUE_MS],
])("a device with a clock %s", (_, byMs) => {
  it("asks for a token once, renews it in time, and calls", async () => {
    vi.setSystemTime(TRUE_MS + byMs);
    const bench = createTruePage();
    await bench.phone.prepare();
    await pass(20_000);
    expect(bench.service.tokens).toBe(1);
    await pass(0.8 * HOUR_MS - 20_000 + 500);
    expect(bench.service.tokens).toBe(2);
    await connected(bench);
    bench.service.change("call-1", { status: "in-progress", answered_at: trueInstant(-3000) });
    await pass(5000);
    expect(bench.phone.state).toMatchObject({ status: "active", call: { elapsedSeconds: 8, secondsLeft: 592 } });
  });
});

describe.each([
  ["an hour on", HOUR_MS],
  ["an hour back", -HOUR_MS],
  ["a year on", YEAR_MS],
  ["a year back", -YEAR_MS],
])("a clock set %s during a call", (_, byMs) => {
  it("changes neither the timer nor the time left, and warns of nothing", async () => {
    const bench = createTruePage();
    await connected(bench);
    await pass(6000);
    vi.setSystemTime(Date.now() + byMs);
    bench.wake();
    await pass(10_000);
    expect(bench.phone.state).toMatchObject({
      status: "active",
      line: "ready",
      call: { elapsedSeconds: 16, secondsLeft: 584, creditWarning: null },
    });
    expect(bench.service.tokens).toBe(1);
  });
});

it("a device that slept for five minutes of a call shows the service's time once it has asked, though performance.now() stood still", async () => {
  const bench = createTruePage();
  await connected(bench);
  bench.service.change("call-1", { status: "in-progress", answered_at: trueInstant() });
  await pass(6000);
  sleptMs = 300_000;
  vi.setSystemTime(Date.now() + sleptMs);
  bench.wake();
  await pass(1000);
  expect(bench.phone.state.call).toMatchObject({ elapsedSeconds: 307, secondsLeft: 293 });
});

describe("a token's expiry", () => {
  it.each(["1970-01-01T00:00:00Z", "2100-01-01T00:00:00Z", "soon", ""])("of %j causes no storm of requests", async (expires) => {
    const bench = createTruePage();
    const getVoiceToken = bench.service.getVoiceToken.bind(bench.service);
    bench.service.getVoiceToken = async () => ({ ...(await getVoiceToken()), expires_at: expires });
    await bench.phone.prepare();
    await pass(10 * 60_000);
    expect(bench.service.tokens).toBeLessThanOrEqual(21);
    expect(bench.phone.state.line).toBe("ready");
  });

  it("is asked for ever more rarely while the service fails, and again when it works", async () => {
    const bench = createTruePage();
    await bench.phone.prepare();
    bench.service.refuseToken = new TypeError("network");
    await pass(4 * HOUR_MS);
    expect(bench.service.tokens).toBeLessThan(12);
    bench.service.refuseToken = null;
    await pass(4 * HOUR_MS);
    expect(bench.client().logins.length).toBeGreaterThan(0);
  });
});
