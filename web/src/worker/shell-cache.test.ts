import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { cacheElseNetwork, fillCache, networkElseShell } from "./shell-cache.ts";

const ORIGIN = "https://farline.example";
const FILE = `${ORIGIN}/assets/app-abc.js`;

/** What the browser does: `null` works, an error is thrown by every use of the cache. */
let spoilt: Error | null;
let kept: Map<string, Response>;
let online: boolean;
let fileType: string;

const urlOf = (request: RequestInfo): string => new URL(request instanceof Request ? request.url : request, ORIGIN).href;

function cacheOf() {
  const add = async (request: RequestInfo): Promise<void> => put(request, await fetch(request));
  async function put(request: RequestInfo, response: Response): Promise<void> {
    if (spoilt !== null) throw spoilt;
    kept.set(urlOf(request), response);
  }
  return { put, add, addAll: async (all: RequestInfo[]) => void (await Promise.all(all.map(add))) };
}

beforeEach(() => {
  [spoilt, kept, online, fileType] = [null, new Map(), true, "text/javascript"];
  vi.stubGlobal("caches", {
    async open() {
      if (spoilt?.name === "SecurityError") throw spoilt;
      return cacheOf();
    },
    async match(request: RequestInfo) {
      if (spoilt?.name === "SecurityError") throw spoilt;
      return kept.get(urlOf(request));
    },
    delete: async () => kept.clear(),
  });
  vi.stubGlobal(
    "Request",
    class extends Request {
      constructor(url: RequestInfo, init?: RequestInit) {
        super(typeof url === "string" ? new URL(url, ORIGIN) : url, init);
      }
    },
  );
  vi.stubGlobal("fetch", async () => {
    if (!online) throw new TypeError("Failed to fetch");
    const response = new Response("fresh", { headers: { "content-type": fileType } });
    Object.defineProperty(response, "type", { value: "basic" });
    return response;
  });
});
afterEach(() => vi.unstubAllGlobals());

/** The text of the answer, once all that the worker does afterwards has ended. */
async function file(): Promise<string> {
  const keeping: Promise<void>[] = [];
  const answer = await cacheElseNetwork(new Request(FILE), "farline-1", (one) => keeping.push(one));
  await Promise.all(keeping);
  return await answer.text();
}

const failures: [string, Error][] = [
  ["is full", new DOMException("Quota exceeded.", "QuotaExceededError")],
  ["is blocked", new DOMException("The operation is insecure.", "SecurityError")],
  ["fails inside", new DOMException("Unexpected internal error.", "UnknownError")],
];

test.each(failures)("where the cache %s, a file comes from the network", async (_, error) => {
  spoilt = error;
  expect(await file()).toBe("fresh");
  expect(kept.size).toBe(0);
});

test.each(failures)(
  "where the cache %s, a page comes from the network, and without one its failure is reported",
  async (_, error) => {
    spoilt = error;
    const page = () => networkElseShell(new Request(`${ORIGIN}/history`), "farline-1", "/index.html");
    expect(await (await page()).text()).toBe("fresh");
    online = false;
    await expect(page()).rejects.toThrow("Failed to fetch");
  },
);

test("a file is kept, and then serves without a network", async () => {
  await file();
  online = false;
  kept.set(FILE, new Response("kept"));
  expect(await file()).toBe("kept");
});

test("an HTML page in a file's place is not kept", async () => {
  fileType = "text/html; charset=utf-8";
  await file();
  expect(kept.size).toBe(0);
  fileType = "text/javascript";
  await file();
  expect([...kept.keys()]).toEqual([FILE]);
});

test.each(failures)("where the cache %s, a shell that cannot be kept whole is not kept at all", async (_, error) => {
  kept.set("the part that fitted", new Response());
  spoilt = error;
  await expect(fillCache("farline-1", "/index.html", ["/assets/a.js"])).rejects.toBe(error);
  if (error.name !== "SecurityError") expect(kept.size).toBe(0);
});
