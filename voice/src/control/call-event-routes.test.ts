import { randomUUID } from "node:crypto";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { testExchange, type TestExchange } from "../../test/test-exchange.ts";
import { TestNodes } from "../../test/test-nodes.ts";

const order = { to: "+442079460000", time_limit_secs: 60, target_leg_client_state: "ZmFy" };

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "farline-journal-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

/** Makes a call that is answered and hung up. @returns its session */
async function oneCall({ browser, telnyx, network, webhooks }: TestExchange): Promise<string> {
  const client = await browser();
  const callId = randomUUID();
  await client.invite(callId, "offer-sdp");
  const { params } = await client.next("ringing");
  await telnyx.calls.actions.transfer(String(params?.["telnyx_call_control_id"]), order);
  await expect.poll(() => network.calls.length).toBe(1);
  network.last.answer();
  await client.next("answer");
  await client.bye(callId);
  const { payload } = await webhooks.next("call.hangup", ({ payload: { client_state: state } }) => state === "ZmFy");
  return String(payload["call_session_id"]);
}

function postedIn(body: string): unknown {
  return (JSON.parse(body) as { data: unknown }).data;
}

interface Page {
  readonly data: readonly {
    readonly name: string;
    readonly metadata: { readonly id: string; readonly payload: Record<string, unknown> };
  }[];
  readonly meta: { readonly cursors: { readonly after: string | null } };
}

async function allEvents({ telnyx }: TestExchange): Promise<Page["data"]> {
  const read: Page["data"][number][] = [];
  let after: string | null = null;
  do {
    const query: Record<string, string> = after === null ? {} : { "page[after]": after };
    const page: Page = await telnyx.get<Page>("/call_events", { query });
    read.push(...page.data);
    after = page.meta.cursors.after;
  } while (after !== null);
  return read;
}

test("the events of a call are kept as they were posted, also after a restart", async () => {
  const config = { journal: join(folder, "exchange.journal") };
  const first = await testExchange({ config });
  const session = await oneCall(first);
  const posted = first.webhooks.received.filter(({ payload }) => payload["client_state"] === "ZmFy");
  await first.close();
  const second = await testExchange({ config });
  const kept = (await allEvents(second)).filter(({ metadata }) => metadata.payload["client_state"] === "ZmFy");
  expect(new Set(kept.map(({ metadata }) => metadata))).toEqual(new Set(posted.map(({ body }) => postedIn(body))));
  expect(new Set(kept.map(({ metadata }) => metadata.payload["call_session_id"]))).toEqual(new Set([session]));
  expect(kept.map(({ name }) => name)).toContain("call.hangup");
  await second.close();
});

test("each of several exchanges gives the events of all", async () => {
  const nodes = await TestNodes.start(["a", "b"], { journal: join(folder, "exchange.journal") });
  const sessions = [await oneCall(nodes.at("a")), await oneCall(nodes.at("b"))];
  for (const name of ["a", "b"]) {
    const kept = await allEvents(nodes.at(name));
    expect(kept.filter((one) => one.name === "call.hangup").map(({ metadata }) => metadata.payload["call_session_id"])).toEqual(
      expect.arrayContaining(sessions),
    );
    expect(new Set(kept.map(({ metadata }) => metadata.id)).size).toBe(kept.length);
  }
  await nodes.stopNode("b");
  await expect(allEvents(nodes.at("a"))).rejects.toMatchObject({ status: 503 });
  await nodes.close();
});

test("a browser's leg that was never dialled is not kept, and without a journal there are no events", async () => {
  const config = { journal: join(folder, "exchange.journal") };
  const kept = await testExchange({ config });
  const client = await kept.browser();
  const callId = randomUUID();
  await client.invite(callId, "offer-sdp");
  await client.next("ringing");
  await client.bye(callId);
  await kept.webhooks.next("call.hangup");
  expect(await allEvents(kept)).toEqual([]);
  await kept.close();
  const without = await testExchange();
  await expect(allEvents(without)).rejects.toMatchObject({ status: 404 });
  await without.close();
});

test("a cursor that nobody gave is refused", async () => {
  const kept = await testExchange({ config: { journal: join(folder, "exchange.journal") } });
  for (const after of ["a", "a~../../etc", "~", `a~${"9".repeat(99)}`])
    await expect(kept.telnyx.get("/call_events", { query: { "page[after]": after } })).rejects.toMatchObject({ status: 422 });
  await expect(kept.telnyx.get("/call_events", { query: { "page[after]": "gone~" } })).rejects.toMatchObject({ status: 404 });
  await kept.close();
});
