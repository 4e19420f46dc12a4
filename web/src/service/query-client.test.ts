import { expect, test } from "vitest";
import { queryClient, showAnswer } from "./query-client.ts";

test("an answer to a change stays although an older request is answered later", async () => {
  const older = Promise.withResolvers<string>();
  const read = queryClient.query({ queryKey: ["caller-id"], queryFn: () => older.promise }).catch(() => "cancelled");
  await showAnswer(["caller-id"], "new");
  older.resolve("old");
  await read;
  expect(queryClient.getQueryData(["caller-id"])).toBe("new");
});

test("other requests are not cancelled", async () => {
  const read = queryClient.query({ queryKey: ["user", "export"], queryFn: async () => "copy" });
  await showAnswer(["user"], "Ama");
  expect(await read).toBe("copy");
});
