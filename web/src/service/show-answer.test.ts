import { QueryClient } from "@tanstack/react-query";
import { expect, test } from "vitest";
import { showAnswerIn, showChangeIn } from "./show-answer.ts";

test("an answer to a change stays although an older request is answered later", async () => {
  const client = new QueryClient();
  const older = Promise.withResolvers<string>();
  const read = client.query({ queryKey: ["caller-id"], queryFn: () => older.promise }).catch(() => "cancelled");
  await showAnswerIn(client, ["caller-id"], "new");
  older.resolve("old");
  await read;
  expect(client.getQueryData(["caller-id"])).toBe("new");
});

test("other requests are not cancelled", async () => {
  const client = new QueryClient();
  const read = client.query({ queryKey: ["user", "export"], queryFn: async () => "copy" });
  await showAnswerIn(client, ["user"], "Ama");
  expect(await read).toBe("copy");
});

test("a change stays in everything below its key, and marks only what was cancelled as old", async () => {
  const client = new QueryClient();
  client.setQueryData(["contacts", "all"], ["Ama"]);
  client.setQueryData(["contacts", "favorites"], ["Ama"]);
  client.setQueryData(["calls"], ["Ama"]);
  const older = Promise.withResolvers<string[]>();
  const read = client.query({ queryKey: ["contacts", "all"], queryFn: () => older.promise }).catch(() => ["cancelled"]);
  const readAgain = await showChangeIn<string[]>(client, ["contacts"], (names) => names.map((name) => `${name} *`));
  older.resolve(["Ama"]);
  await read;
  const kept = () => ["all", "favorites"].map((name) => client.getQueryData(["contacts", name]));
  expect(kept()).toEqual([["Ama *"], ["Ama *"]]);
  expect(client.getQueryData(["calls"])).toEqual(["Ama"]);
  await readAgain();
  const isOld = (name: string) => client.getQueryState(["contacts", name])?.isInvalidated;
  expect([isOld("all"), isOld("favorites")]).toEqual([true, false]);
});
