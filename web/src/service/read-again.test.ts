import { QueryObserver } from "@tanstack/react-query";
import { afterEach, expect, test } from "vitest";
import { queryClient } from "./query-client.ts";
import { readAgain } from "./read-again.ts";

const KEY = ["balance"];

/** A page that shows what the service has, over a network that answers when told to. */
function openPage() {
  const service = { balance: 0 };
  const answers: (() => void)[] = [];
  const observer = new QueryObserver(queryClient, {
    queryKey: KEY,
    queryFn: () => {
      const read = service.balance;
      return new Promise<number>((resolve) => answers.push(() => resolve(read)));
    },
  });
  const stop = observer.subscribe(() => undefined);
  stops.push(stop);
  return { service, answers, shown: () => observer.getCurrentResult().data };
}

const stops: (() => void)[] = [];
afterEach(() => {
  for (const stop of stops.splice(0)) stop();
  queryClient.clear();
});

test("a change that is told during the first reading is seen, though that reading missed it", async () => {
  const { service, answers, shown } = openPage();
  expect(answers).toHaveLength(1);
  service.balance = 7;
  await nextMillisecond();
  readAgain(KEY);
  answers[0]?.();
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.();
  await expect.poll(shown).toBe(7);
});

test("a change that is told during a later reading begins it anew", async () => {
  const { service, answers, shown } = openPage();
  answers[0]?.();
  await expect.poll(shown).toBe(0);
  void queryClient.invalidateQueries({ queryKey: KEY });
  await expect.poll(() => answers.length).toBe(2);
  service.balance = 7;
  await nextMillisecond();
  readAgain(KEY);
  await expect.poll(() => answers.length).toBe(3);
  answers[2]?.();
  answers[1]?.();
  await expect.poll(shown).toBe(7);
});

test("what was read since the change is not read again", async () => {
  const beforeMs = Date.now();
  const { answers, shown } = openPage();
  answers[0]?.();
  await expect.poll(shown).toBe(0);
  readAgain(KEY, beforeMs);
  // Asked for later, done together.
  const other = new QueryObserver(queryClient, { queryKey: ["calls"], queryFn: () => Date.now() });
  stops.push(other.subscribe(() => undefined));
  await expect.poll(() => other.getCurrentResult().data).toBeDefined();
  await nextMillisecond();
  const first = other.getCurrentResult().data;
  readAgain(["calls"]);
  await expect.poll(() => other.getCurrentResult().data).not.toBe(first);
  expect(answers).toHaveLength(1);
});

/** Readings of one millisecond are taken for later than the change. */
async function nextMillisecond(): Promise<void> {
  const nowMs = Date.now();
  await expect.poll(() => Date.now(), { interval: 1 }).toBeGreaterThan(nowMs);
}
