import { afterAll, beforeAll, expect, test } from "vitest";
import { Doors } from "./src/doors.ts";
import { startInstallation, type Installation } from "./src/product.ts";

let installation: Installation;
const doors = new Doors();

beforeAll(async () => {
  installation = await startInstallation();
});
afterAll(async () => {
  await installation?.close();
});

test("the browsers' port of the exchange answers no control command", async () => {
  const port = installation.exchange.port;
  for (const path of ["/v2/balance"]) {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`);
    doors.check("control of the exchange without its key", `GET ${path}`, answer.status >= 400);
  }
  expect(doors.opened).toEqual([]);
});
