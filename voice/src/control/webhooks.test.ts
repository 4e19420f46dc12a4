import { generateKeyPairSync, randomUUID } from "node:crypto";
import { setTimeout as pause } from "node:timers/promises";
import pino from "pino";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { WebhookReceiver } from "../../test/webhook-receiver.ts";
import type { WebhookEvent } from "./webhook-events.ts";
import { Webhooks } from "./webhooks.ts";

const ATTEMPT_TIMEOUT_MS = 1_500;
const MANY = 100;

let receiver: WebhookReceiver;
let webhooks: Webhooks;
let lines: string[];

beforeEach(async () => {
  receiver = new WebhookReceiver();
  lines = [];
  webhooks = new Webhooks({
    url: await receiver.listen(),
    signingKey: generateKeyPairSync("ed25519").privateKey,
    journal: { recordEvent: () => undefined, removeEvent: () => undefined },
    log: pino({}, { write: (line: string) => void lines.push(line) }),
    attemptTimeoutMs: ATTEMPT_TIMEOUT_MS,
  });
});
afterEach(async () => {
  await webhooks.close(0);
  await receiver.close();
});

function event(type: WebhookEvent["event_type"]): WebhookEvent {
  return { record_type: "event", event_type: type, id: randomUUID(), occurred_at: new Date().toISOString(), payload: {} };
}

test("events of calls are not delayed by those of unauthorised legs", async () => {
  receiver.answer = ({ type }) => (type === "call.initiated" ? new Promise<number>(() => undefined) : 200);
  for (let n = 0; n < MANY; n += 1) webhooks.send(event("call.initiated"), "parked");
  const answered = event("call.answered");
  webhooks.send(answered, "calls");
  expect((await receiver.next("call.answered")).attempt).toBe(1);
});

test("the time-out of an event starts when it gets a socket", async () => {
  receiver.answer = async () => {
    await pause(ATTEMPT_TIMEOUT_MS / 4);
    return 200;
  };
  for (let n = 0; n < MANY; n += 1) webhooks.send(event("call.initiated"), "parked");
  await expect.poll(() => webhooks.waiting).toBe(0);
  expect(receiver.received.filter(({ attempt }) => attempt > 1)).toEqual([]);
  expect(receiver.received).toHaveLength(MANY);
});

test("an event of a call is delivered after an outage of hours, and one of an unauthorised leg is given up", async () => {
  const ages = vi.spyOn(performance, "now");
  const begin = performance.now();
  receiver.answer = () => 503;
  const ended = event("call.hangup");
  webhooks.send(ended, "calls");
  webhooks.send(event("call.initiated"), "parked");
  ages.mockReturnValue(begin + 23 * 60 * 60_000);
  await expect.poll(() => webhooks.waiting).toBe(1);
  receiver.answer = () => 200;
  await expect.poll(() => webhooks.waiting).toBe(0);
  expect(receiver.received.at(-1)?.id).toBe(ended.id);
  ages.mockRestore();
});

test("events that are never accepted give way to new ones", async () => {
  receiver.answer = ({ type }) => (type === "call.initiated" ? 503 : 200);
  for (let n = 0; n < 1_000; n += 1) webhooks.send(event("call.initiated"), "parked");
  await expect.poll(() => receiver.received.length).toBeGreaterThan(MANY);
  webhooks.send(event("call.hangup"), "parked");
  expect(webhooks.waiting).toBe(1_000);
  await receiver.next("call.hangup");
});

test("failures and floods of events do not fill memory or log", async () => {
  receiver.answer = () => 503;
  for (let n = 0; n < 1_500; n += 1) webhooks.send(event("call.initiated"), "parked");
  expect(webhooks.waiting).toBe(1_000);
  await expect.poll(() => receiver.received.length).toBeGreaterThan(200);
  expect(lines.length).toBeLessThan(60);
});
