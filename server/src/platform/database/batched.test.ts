import { expect, test } from "vitest";
import { batched } from "./batched.ts";

interface TestRequest {
  readonly key: string;
  readonly id: number;
}

/** Batches that the test completes by hand. */
function manualBatches(bounds: { maxBatchSize?: number; maxQueued?: number } = {}) {
  const groups: { requests: readonly TestRequest[]; end: PromiseWithResolvers<ReadonlyMap<string, string>> }[] = [];
  const alone: TestRequest[] = [];
  const submit = batched<TestRequest, string>({
    maxBatchSize: 10,
    maxConcurrentBatches: 1,
    maxQueued: 10,
    ...bounds,
    keyOf: ({ key }) => key,
    async run(requests, lock) {
      if (lock === "skip") {
        const end = Promise.withResolvers<ReadonlyMap<string, string>>();
        groups.push({ requests, end });
        return end.promise;
      }
      alone.push(...requests);
      if (requests.some(({ key }) => key === "wrong")) throw new Error("refused");
      return new Map(requests.map(({ key, id }) => [key, `alone ${id}`]));
    },
  });
  const idsOf = (index: number) => groups[index]?.requests.map(({ id }) => id);
  return { submit, groups, alone, idsOf };
}

const nextTurn = () => new Promise((resolve) => setImmediate(resolve));

const answersOf = (requests: readonly TestRequest[] = []) => new Map(requests.map(({ key, id }) => [key, `together ${id}`]));

test("requests of one event-loop turn share a batch, and so do those that arrive during a batch", async () => {
  const { submit, groups, idsOf } = manualBatches();
  const answers = [1, 2].map((id) => submit({ key: `k${id}`, id }));
  await expect.poll(() => groups.length).toBe(1);
  expect(idsOf(0)).toEqual([1, 2]);
  answers.push(submit({ key: "k3", id: 3 }));
  await nextTurn();
  answers.push(submit({ key: "k4", id: 4 }));
  await nextTurn();
  expect(groups).toHaveLength(1);
  groups[0]?.end.resolve(answersOf(groups[0].requests));
  expect(await answers[0]).toBe("together 1");
  await expect.poll(() => groups.length).toBe(2);
  expect(idsOf(1)).toEqual([3, 4]);
  groups[1]?.end.resolve(answersOf(groups[1].requests));
  expect(await Promise.all(answers)).toEqual(["together 1", "together 2", "together 3", "together 4"]);
});

test("callers that submit again as soon as they are answered share the next batch", async () => {
  const { submit, groups, idsOf } = manualBatches();
  const twice = async (id: number) => {
    await submit({ key: `k${id}`, id });
    return submit({ key: `k${id}`, id: id + 10 });
  };
  const all = Promise.all([twice(1), twice(2)]);
  await expect.poll(() => groups.length).toBe(1);
  groups[0]?.end.resolve(answersOf(groups[0].requests));
  await expect.poll(() => groups.length).toBe(2);
  expect(idsOf(1)).toEqual([11, 12]);
  groups[1]?.end.resolve(answersOf(groups[1].requests));
  expect(await all).toEqual(["together 11", "together 12"]);
});

test("two requests with one key never share a batch, and batches have a maximum size", async () => {
  const { submit, groups, idsOf } = manualBatches({ maxBatchSize: 2 });
  void submit({ key: "a", id: 1 });
  await nextTurn();
  for (const [key, id] of [
    ["b", 2],
    ["b", 3],
    ["c", 4],
    ["d", 5],
  ] as const)
    void submit({ key, id });
  groups[0]?.end.resolve(answersOf(groups[0].requests));
  await expect.poll(() => groups.length).toBe(2);
  expect(idsOf(1)).toEqual([2, 4]);
  groups[1]?.end.resolve(answersOf(groups[1].requests));
  await expect.poll(() => groups.length).toBe(3);
  expect(idsOf(2)).toEqual([3, 5]);
});

test("a request left out of two batches runs alone, and its error affects no other", async () => {
  const { submit, groups, alone, idsOf } = manualBatches();
  const [refused, answered] = [submit({ key: "wrong", id: 1 }), submit({ key: "right", id: 2 })];
  await expect.poll(() => groups.length).toBe(1);
  const later = submit({ key: "late", id: 3 });
  groups[0]?.end.resolve(new Map([["right", "together 2"]]));
  expect(await answered).toBe("together 2");
  await expect.poll(() => groups.length).toBe(2);
  expect([idsOf(1), alone]).toEqual([[1, 3], []]);
  groups[1]?.end.resolve(new Map([["late", "together 3"]]));
  expect(await later).toBe("together 3");
  await expect(refused).rejects.toThrow("refused");
  expect(alone).toEqual([{ key: "wrong", id: 1 }]);
});

test("a request left out of one batch is answered by the next", async () => {
  const { submit, groups, alone } = manualBatches();
  const answered = submit({ key: "a", id: 1 });
  await expect.poll(() => groups.length).toBe(1);
  groups[0]?.end.resolve(new Map());
  await expect.poll(() => groups.length).toBe(2);
  groups[1]?.end.resolve(answersOf(groups[1].requests));
  expect([await answered, alone]).toEqual(["together 1", []]);
});

test("each request of a failed batch runs alone, and the next batch starts", async () => {
  const { submit, groups, alone } = manualBatches();
  const [refused, answered] = [submit({ key: "wrong", id: 1 }), submit({ key: "right", id: 2 })];
  await nextTurn();
  const later = submit({ key: "b", id: 3 });
  groups[0]?.end.reject(new Error("one of them cannot be written"));
  await expect(refused).rejects.toThrow("refused");
  expect(await answered).toBe("alone 2");
  expect(alone.map(({ id }) => id)).toEqual([1, 2]);
  await expect.poll(() => groups.length).toBe(2);
  groups[1]?.end.resolve(answersOf(groups[1].requests));
  expect(await later).toBe("together 3");
});

test("requests beyond the queue's limit are refused, and those already waiting are not", async () => {
  const { submit, groups } = manualBatches({ maxQueued: 1 });
  void submit({ key: "a", id: 1 });
  await nextTurn();
  const waiting = submit({ key: "b", id: 2 });
  await expect(submit({ key: "c", id: 3 })).rejects.toMatchObject({ code: "unavailable" });
  groups[0]?.end.resolve(answersOf(groups[0].requests));
  await expect.poll(() => groups.length).toBe(2);
  groups[1]?.end.resolve(answersOf(groups[1].requests));
  expect(await waiting).toBe("together 2");
});
