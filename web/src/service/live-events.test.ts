import { QueryObserver } from "@tanstack/react-query";
import { afterEach, expect, test } from "vitest";
import { queryClient } from "./query-client.ts";
import { refetch } from "./live-events.ts";

const KEY = ["balance"];

/** A page that shows the service's data over a network that responds on command. */
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

test("a change reported during the first fetch is shown, even if that fetch missed it", async () => {
  const { service, answers, shown } = openPage();
  expect(answers).toHaveLength(1);
  service.balance = 7;
  refetch(KEY);
  answers[0]?.();
  await expect.poll(() => answers.length).toBe(2);
  answers[1]?.();
  await expect.poll(shown).toBe(7);
});

test("a change reported during a refetch restarts it", async () => {
  const { service, answers, shown } = openPage();
  answers[0]?.();
  await expect.poll(shown).toBe(0);
  void queryClient.invalidateQueries({ queryKey: KEY });
  await expect.poll(() => answers.length).toBe(2);
  service.balance = 7;
  refetch(KEY);
  await expect.poll(() => answers.length).toBe(3);
  answers[2]?.();
  answers[1]?.();
  await expect.poll(shown).toBe(7);
});

test("data fetched after the change is not fetched again", async () => {
  refetch(KEY);
  const { answers, shown } = openPage();
  answers[0]?.();
  await expect.poll(shown).toBe(0);
  // Requested now, run together later.
  const other = new QueryObserver(queryClient, { queryKey: ["calls"], queryFn: () => Date.now() });
  stops.push(other.subscribe(() => undefined));
  await expect.poll(() => other.getCurrentResult().data).toBeDefined();
  const first = other.getCurrentResult().data;
  refetch(["calls"]);
  await expect.poll(() => other.getCurrentResult().data).not.toBe(first);
  expect(answers).toHaveLength(1);
});
