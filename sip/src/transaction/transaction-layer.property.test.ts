import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { request } from "../../test/message-samples.ts";
import type { SipMessage, SipRequest } from "../message/message.ts";
import { responseTo } from "../message/response.ts";
import { type Hop, TransactionLayer } from "./transaction-layer.ts";

/** How one message travels: the delay of each copy. None: lost. Later messages arrive after 10 ms. */
const travels = fc.array(fc.array(fc.integer({ min: 0, max: 5_000 }), { maxLength: 3 }), { maxLength: 40 });
const CALLER_PATIENCE_MS = 60_000;
const END_MS = 300_000;

interface Plan {
  readonly method: "INVITE" | "BYE";
  readonly reliable: boolean;
  readonly status: number;
  readonly answerAfterMs: number;
  readonly cancelAtMs: number;
  readonly travels: readonly (readonly number[])[];
}

const plans: fc.Arbitrary<Plan> = fc.record({
  method: fc.constantFrom("INVITE", "BYE"),
  reliable: fc.boolean(),
  status: fc.constantFrom(200, 486, 503),
  answerAfterMs: fc.integer({ min: 0, max: 20_000 }),
  cancelAtMs: fc.oneof(fc.constant(Infinity), fc.integer({ min: 0, max: 30_000 })),
  travels,
});

/** Joins two layers by a channel that loses, repeats and reorders messages. */
function run(plan: Plan) {
  const queue: { at: number; act: () => void }[] = [];
  const at = (time: number, act: () => void): void => void queue.push({ at: time, act });
  const hop: Hop = { reliable: plan.reliable };
  const seen = { finals: [] as number[], failures: [] as string[], requests: 0, acknowledged: 0, unacknowledged: 0, sent: 0 };
  const left = [...plan.travels];
  let now = 0;
  const travel = (message: SipMessage, to: () => TransactionLayer<Hop>): void => {
    seen.sent += 1;
    for (const delay of left.shift() ?? [10]) at(now + delay, () => to().receive(message, hop, now));
  };
  const caller: TransactionLayer<Hop> = new TransactionLayer({
    maxTransactions: 10,
    send: (message) => travel(message, () => callee),
    user: { onRequest: () => undefined, onAck: () => undefined, onCancelled: () => undefined, onUnacknowledged: () => undefined },
  });
  const respond = (to: SipRequest, status: number): void =>
    callee.respond(to, responseTo(to, status, "", { toTag: "theirs" }), now);
  const callee: TransactionLayer<Hop> = new TransactionLayer({
    maxTransactions: 10,
    send: (message) => travel(message, () => caller),
    user: {
      onRequest(received) {
        seen.requests += 1;
        if (received.method === "INVITE") respond(received, 180);
        at(now + plan.answerAfterMs, () => respond(received, plan.status));
      },
      onAck: () => void (seen.acknowledged += 1),
      onCancelled: (invite) => respond(invite, 487),
      onUnacknowledged: () => void (seen.unacknowledged += 1),
    },
  });
  const first = request(plan.method);
  const ack = request("ACK");
  caller.request(
    first,
    hop,
    {
      onResponse({ status }) {
        if (status < 200) return;
        seen.finals.push(status);
        if (status < 300 && plan.method === "INVITE") travel(ack, () => callee);
      },
      onFailed: (cause) => void seen.failures.push(cause),
    },
    0,
  );
  if (plan.method === "INVITE") at(Math.min(plan.cancelAtMs, CALLER_PATIENCE_MS), () => caller.cancel(first, now));
  for (;;) {
    queue.sort((a, b) => a.at - b.at);
    const timer = Math.min(caller.nextTimer, callee.nextTimer);
    const next = queue[0]?.at ?? Infinity;
    now = Math.max(now, Math.min(timer, next));
    if (now > END_MS || Math.min(timer, next) === Infinity) break;
    if (next <= timer) queue.shift()?.act();
    else {
      caller.tick(now);
      callee.tick(now);
    }
  }
  return { seen, open: caller.size + callee.size };
}

test.prop([plans])("two transactions end over a channel that loses, repeats and reorders messages", (plan) => {
  const { seen, open } = run(plan);
  expect(open).toBe(0);
  // One outcome: one final response (a 2xx to INVITE may repeat), or a failure.
  const outcomes = new Set(seen.finals);
  expect(outcomes.size + seen.failures.length).toBe(1);
  if (plan.method === "BYE" || !outcomes.has(200)) expect(seen.finals.length).toBeLessThanOrEqual(1);
  expect(seen.acknowledged + seen.unacknowledged).toBeLessThanOrEqual(seen.requests);
  expect(seen.sent).toBeLessThan(120);
});

test.prop([plans])("without loss the caller learns what the callee said, and nothing is sent twice over TCP", (plan) => {
  const { seen } = run({ ...plan, reliable: true, travels: [], cancelAtMs: Infinity });
  expect(seen.finals).toEqual([plan.status]);
  expect(seen).toMatchObject({ requests: 1, failures: [], unacknowledged: 0 });
  const invite = plan.method === "INVITE";
  expect(seen.acknowledged).toBe(invite && plan.status === 200 ? 1 : 0);
  expect(seen.sent).toBe(invite ? 4 : 2);
});
