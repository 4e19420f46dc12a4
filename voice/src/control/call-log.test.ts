import { randomUUID } from "node:crypto";
import { CALL_ID_HEADER, REQUEST_ID_HEADER } from "@farline/contract/api/log-headers.ts";
import { afterEach, expect, test } from "vitest";
import { testExchange, type TestExchange } from "../../test/test-exchange.ts";
import { createLog } from "../log.ts";

let bench: TestExchange;
afterEach(() => bench.close());

test("each line about a call names its session, and ours of it once it is connected; each line about a request names that", async () => {
  const lines: Record<string, unknown>[] = [];
  const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  bench = await testExchange({ log: createLog("info", "exchange", destination) });
  const browser = await bench.browser();
  await browser.invite(randomUUID(), "offer-sdp");
  const { params } = await browser.next("ringing");
  const session = String(params?.["telnyx_session_id"]);
  const [requestId, call] = [randomUUID(), randomUUID()];
  const headers = { [REQUEST_ID_HEADER]: requestId, [CALL_ID_HEADER]: call };
  await bench.telnyx.calls.actions.transfer(String(params?.["telnyx_call_control_id"]), { to: "+442079460000" }, { headers });
  await expect.poll(() => bench.network.calls.length).toBe(1);
  bench.network.last.answer("bad-sdp");
  await expect.poll(() => lines.find(({ msg }) => msg === "answer without usable media")).toMatchObject({ session, call });
  const route = "/v2/calls/:id/actions/transfer";
  expect(lines.find((line) => line["route"] === route)).toMatchObject({ msg: "request", status: 200, request_id: requestId });
  await bench.telnyx.calls.actions.hangup(String(params?.["telnyx_call_control_id"]), {}, { headers }).catch(() => undefined);
  await bench.telnyx.calls.retrieveStatus(String(params?.["telnyx_call_control_id"]));
  await expect
    .poll(() => lines.find(({ route: one }) => one === "/v2/calls/:id/actions/hangup"))
    .toMatchObject({ call, session });
  expect(lines.find((line) => line["route"] === route)).toMatchObject({ call, session });
  expect(lines.filter(({ method }) => method === "GET")).toEqual([]);
  const others = lines.filter(({ msg, request_id: id }) => msg === "request" && id !== requestId);
  expect(others.every(({ request_id: id }) => typeof id === "string")).toBe(true);
});
