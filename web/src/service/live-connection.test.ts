import type { LiveHint } from "@farline/contract/events.ts";
import { createServer, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { LiveConnection } from "./live-connection.ts";

const BALANCE: LiveHint = { type: "balance" };
const READY: LiveHint = { type: "ready" };

/** The service's side of every connection, open or closed, in order of arrival. */
let connections: ServerResponse[] = [];
let tokens: (string | undefined)[] = [];
let status = 200;
const server = createServer((request, response) => {
  tokens.push(request.headers.authorization);
  if (status !== 200) {
    response.writeHead(status).end();
    return;
  }
  connections.push(response.writeHead(200, { "content-type": "text/event-stream" }));
  response.write('data: {"type":"ready"}\n\n');
});
let url: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/events`;
});
afterAll(async () => {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});
beforeEach(() => {
  [connections, tokens, status] = [[], [], 200];
});

const tabs: LiveConnection[] = [];
afterEach(() => {
  for (const tab of tabs.splice(0)) tab.close();
});

function openTab() {
  const heard: LiveHint[] = [];
  const seen = { refused: 0 };
  const tab = new LiveConnection({
    name: "test-live",
    url,
    token: "secret",
    onHint: (hint) => heard.push(hint),
    onRefused: () => (seen.refused += 1),
  });
  tabs.push(tab);
  return { tab, heard, seen };
}

const send = (text: string) => connections.at(-1)?.write(text);
const isOpen = (response: ServerResponse | undefined) => response !== undefined && !response.destroyed;

describe("live hints in the browser", () => {
  test("are received with the token in the header, however the lines are split", async () => {
    const { heard, tab } = openTab();
    await expect.poll(() => heard).toEqual([READY]);
    expect(tokens).toEqual(["Bearer secret"]);
    expect(tab.heardAtMs).toBeGreaterThan(0);
    send('data: {"type":"bal');
    send('ance"}\n');
    send('\n:\n\ndata: {"type":"contacts"}\n\n');
    await expect.poll(() => heard).toEqual([READY, BALANCE, { type: "contacts" }]);
  });

  test("that cannot be parsed are skipped", async () => {
    const { heard } = openTab();
    await expect.poll(() => heard).toHaveLength(1);
    send('data: {"typ":1}\n\ndata: {\n\nevent: x\n\ndata: {"type":"balance"}\n\n');
    await expect.poll(() => heard).toEqual([READY, BALANCE]);
  });

  test("a lost connection is reopened", async () => {
    const { heard } = openTab();
    await expect.poll(() => heard).toHaveLength(1);
    connections[0]?.destroy();
    await expect.poll(() => connections.length).toBe(2);
    await expect.poll(() => heard).toEqual([READY, READY]);
  });

  test("an invalid token ends the connection", async () => {
    status = 401;
    const { seen, tab } = openTab();
    await tab.opened;
    await expect.poll(() => seen.refused).toBe(1);
    expect(tokens).toHaveLength(1);
  });

  test("closing releases the connection and stops the hints", async () => {
    const { tab, heard } = openTab();
    await expect.poll(() => heard).toHaveLength(1);
    tab.close();
    await expect.poll(() => isOpen(connections[0])).toBe(false);
    expect(heard).toHaveLength(1);
  });
});

describe("a browser without", () => {
  const refuse = () => {
    throw new DOMException("The operation is insecure.", "SecurityError");
  };
  afterEach(() => vi.unstubAllGlobals());

  test.each<[string, () => void]>([
    ["channels between tabs", () => vi.stubGlobal("BroadcastChannel", undefined)],
    ["channels it allows", () => vi.stubGlobal("BroadcastChannel", refuse)],
    ["locks", () => vi.stubGlobal("navigator", {})],
    [
      "locks it allows",
      () => vi.stubGlobal("navigator", { locks: { query: async () => refuse(), request: async () => refuse() } }),
    ],
  ])("%s has hints in every tab", async (_, spoil) => {
    spoil();
    const tabs = [openTab(), openTab()];
    for (const { tab } of tabs) await tab.opened;
    await expect.poll(() => connections.length).toBe(2);
    for (const connection of connections) connection.write('data: {"type":"balance"}\n\n');
    for (const { heard } of tabs) await expect.poll(() => heard).toContainEqual(BALANCE);
    tabs[0]?.tab.close();
    await expect.poll(() => connections.filter(isOpen)).toHaveLength(1);
  });
});

test("a page that goes on connects again at once, whatever became of its connection meanwhile", async () => {
  const { tab, heard } = openTab();
  await expect.poll(() => heard).toHaveLength(1);
  tab.renew();
  await expect.poll(() => connections.length).toBe(2);
  await expect.poll(() => heard).toEqual([READY, READY]);
  status = 500;
  const asked = tokens.length;
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  connections[1]?.destroy();
  await expect.poll(() => vi.advanceTimersByTimeAsync(1_000).then(() => tokens.length)).toBeGreaterThan(asked);
  status = 200;
  // No time passes for it.
  tab.renew();
  await expect.poll(() => connections.length).toBe(3);
  vi.useRealTimers();
});

describe("several tabs", () => {
  test("share one connection, and another tab takes it over when the owning tab closes", async () => {
    const first = openTab();
    await expect.poll(() => first.heard).toHaveLength(1);
    const second = openTab();
    await second.tab.opened;
    send('data: {"type":"balance"}\n\n');
    await expect.poll(() => second.heard).toEqual([BALANCE]);
    await expect.poll(() => first.heard).toEqual([READY, BALANCE]);
    expect(connections).toHaveLength(1);
    first.tab.close();
    await expect.poll(() => connections.length).toBe(2);
    await expect.poll(() => second.heard).toEqual([BALANCE, READY]);
  });
});
