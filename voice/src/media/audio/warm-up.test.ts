import { promises } from "node:dns";
import { expect, test, vi } from "vitest";
import { warmUp } from "./warm-up.ts";

test("the warm-up call asks no STUN server, whose name cannot be looked up without a network", async () => {
  const lookup = vi.spyOn(promises, "lookup");
  await warmUp("127.0.0.1");
  expect(lookup).not.toHaveBeenCalled();
});
