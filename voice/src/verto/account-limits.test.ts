import { randomUUID } from "node:crypto";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import type { SdkClient } from "../../test/sdk-client.ts";
import { testExchange, type TestExchange } from "../../test/test-exchange.ts";

/** The limits of the test exchange. */
const CALLS_PER_ACCOUNT = 4;
const SOCKETS_PER_ACCOUNT = 8;

let bench: TestExchange;
beforeEach(async () => {
  bench = await testExchange();
});
afterEach(() => bench.close());

/** A browser with its own credential, like each session of a customer. */
const browserOf = async (customer: string): Promise<SdkClient> => bench.browser((await bench.token(customer)).token);

/** The outcome of a new call. */
async function dial(client: SdkClient): Promise<string> {
  const callId = randomUUID();
  await client.invite(callId, "offer-sdp");
  return Promise.race([
    client.next("ringing").then(() => "parked"),
    client.next("bye").then(({ params }) => String(params?.["sipReason"])),
  ]);
}

describe("a customer with many sessions, each with its own credential,", () => {
  test("has the call limit of one customer", async () => {
    const sessions = await Promise.all(Array.from({ length: CALLS_PER_ACCOUNT + 2 }, () => browserOf("eve")));
    const results: string[] = [];
    for (const client of sessions) results.push(await dial(client));
    expect(results.filter((result) => result === "parked")).toHaveLength(CALLS_PER_ACCOUNT);
    expect(results.at(-1)).toBe("Too many calls of this account");
    expect(await dial(await browserOf("ada"))).toBe("parked");
  });

  test("has the socket limit of one customer", async () => {
    for (let count = 0; count < SOCKETS_PER_ACCOUNT; count += 1) await browserOf("eve");
    await expect(browserOf("eve")).rejects.toThrow("Too many connections");
    await browserOf("ada");
  });
});
