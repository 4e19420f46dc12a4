import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { expect, onTestFinished, test } from "vitest";
import { REQUEST_ID_HEADER } from "@farline/contract/api/log-headers.ts";
import { inLogContext } from "../../platform/log.ts";
import { createTelnyx } from "./telnyx-client.ts";

test("a command carries the id of the request that caused it, for the exchange's log", async () => {
  const ids: unknown[] = [];
  const server = createServer((request, response) => {
    ids.push(request.headers[REQUEST_ID_HEADER]);
    response.setHeader("content-type", "application/json").end('{"data":{}}');
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => void server.close());
  const { port } = server.address() as AddressInfo;
  const telnyx = createTelnyx({ telnyx: { apiKeys: ["KEY"], apiBase: `http://127.0.0.1:${port}` } });
  const hangUp = async () => void (await telnyx.calls.actions.hangup("leg", {}));
  await inLogContext({ request_id: "01976d00-7000" }, hangUp);
  await hangUp();
  expect(ids).toEqual(["01976d00-7000", undefined]);
});
