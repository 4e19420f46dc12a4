import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test, vi } from "vitest";
import { ApiError, messageOf, request, whenProofIsRequired } from "./http.ts";
import { withProof } from "./robot-check.ts";
import { dropSession, getToken, setCallLive, startSession } from "../session/session.ts";

/** The response to the next request. */
let answer: (request: IncomingMessage, response: ServerResponse) => void;
const server = createServer((incoming, response) => answer(incoming, response));

function json(status: number, body: unknown, headers: Record<string, string> = {}) {
  return (_: IncomingMessage, response: ServerResponse): void => {
    response.writeHead(status, { "Content-Type": "application/json", ...headers }).end(JSON.stringify(body));
  };
}

async function failure(attempt: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await attempt.then(
    () => new Error("The request did not fail."),
    (reason: unknown) => reason,
  );
  if (error instanceof ApiError) return error;
  throw error;
}

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const realFetch = globalThis.fetch;
  // Browsers resolve "/api/…" against the page's address; here it must reach the test server.
  vi.stubGlobal("fetch", (path: string, init: RequestInit) => realFetch(origin + path, init));
});

afterEach(() => {
  setCallLive(false);
  dropSession();
});

afterAll(async () => {
  vi.unstubAllGlobals();
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

describe("a request", () => {
  test("goes to the API with the token and a JSON body, and returns the answer", async () => {
    startSession("secret");
    let seen = {};
    answer = (incoming, response) => {
      const { authorization } = incoming.headers;
      seen = { url: incoming.url, method: incoming.method, authorization, type: incoming.headers["content-type"] };
      json(200, { pong: "yes" })(incoming, response);
    };
    expect(await request("POST /api/billing/test-credit", { body: { amount: "5" } })).toEqual({ pong: "yes" });
    expect(seen).toEqual({
      url: "/api/billing/test-credit",
      method: "POST",
      authorization: "Bearer secret",
      type: "application/json",
    });
  });

  test("names no content type when it has no body", async () => {
    let type: string | undefined = "unset";
    answer = (incoming, response) => {
      type = incoming.headers["content-type"];
      json(200, { pong: "yes" })(incoming, response);
    };
    await request("POST /api/logout");
    expect(type).toBeUndefined();
  });
});

describe("a browser that signs in as another customer", () => {
  const bodies: unknown[] = [];
  beforeEach(() => {
    bodies.length = 0;
    startSession("of-a");
    answer = (incoming, response) => {
      bodies.push(incoming.headers.authorization);
      startSession("of-b");
      json(200, { pong: "yes" })(incoming, response);
    };
  });

  test("gets no answer that was meant for the other one", async () => {
    expect(await failure(request("POST /api/billing/test-credit", { body: { amount: "5" } }))).toMatchObject({
      code: "cancelled",
    });
    expect(bodies).toEqual(["Bearer of-a"]);
  });

  test("gets no refusal that was meant for the other one, and stays signed in", async () => {
    answer = (incoming, response) => {
      startSession("of-b");
      json(401, { message: "Sign in.", code: "unauthenticated", reason: "unauthenticated" })(incoming, response);
    };
    expect(await failure(request("POST /api/billing/test-credit", { body: { amount: "5" } }))).toMatchObject({
      code: "cancelled",
    });
    expect(getToken()).toBe("of-b");
  });

  test("still tells the service what the other one's page leaves behind", async () => {
    await request("POST /api/logout", { keepalive: true });
    expect(bodies).toEqual(["Bearer of-a"]);
  });

  test.each([
    ["a proof of identity", "reauth_required", {}],
    ["a robot check", "challenge_required", { challenge: { token: "t", proofs: 1, bits: 1, difficulty: 1 } }],
  ])("sends nothing of what the other one began and %s interrupted", async (_, code, more) => {
    answer = (incoming, response) => {
      bodies.push(incoming.headers.authorization);
      json(403, { message: "First.", code, reason: code, ...more })(incoming, response);
    };
    vi.stubGlobal(
      "Worker",
      class extends EventTarget {
        postMessage(): void {
          startSession("of-b");
          this.dispatchEvent(Object.assign(new Event("message"), { data: [1] }));
        }
        terminate(): void {
          // There is nothing to end.
        }
      },
    );
    const stop = whenProofIsRequired(async () => void startSession("of-b"));
    const topUp = withProof(
      () => request("POST /api/billing/test-credit", { body: { amount: "5" } }),
      () => undefined,
    );
    expect(await failure(topUp)).toMatchObject({ code: "cancelled" });
    expect(bodies).toEqual(["Bearer of-a"]);
    stop();
  });
});

describe("an error", () => {
  test("from the service carries its status, code, message and the first text of each wrong field", async () => {
    answer = json(422, {
      message: "Please check.",
      code: "validation_failed",
      reason: "validation_failed",
      errors: { email: ["Taken.", "Odd."], name: [] },
    });
    const error = await failure(request("POST /api/password/forgot", { body: { email: "a" } }));
    expect([error.status, error.code, error.message]).toEqual([422, "validation_failed", "Please check."]);
    expect(error.fields).toEqual({ email: "Taken." });
    expect(messageOf(error, "Registration failed")).toBe("Please check.");
  });

  test("page from a proxy is not shown to the user", async () => {
    answer = (_, response) => void response.writeHead(502, { "Content-Type": "text/html" }).end("<h1>Bad gateway</h1>");
    const error = await failure(request("GET /api/health"));
    expect([error.status, error.code]).toEqual([502, "bad_response"]);
    expect(messageOf(error, "Failed to fetch balance")).toBe("Failed to fetch balance");
  });

  test("is raised for a success status with a body that is not JSON", async () => {
    answer = (_, response) => void response.writeHead(200, { "Content-Type": "text/html" }).end("<h1>Welcome</h1>");
    expect((await failure(request("GET /api/health"))).code).toBe("bad_response");
  });

  test("tells a time-out, a cancelled request and a lost connection apart", async () => {
    answer = () => undefined;
    expect((await failure(request("GET /api/health", { timeoutMs: 20 }))).code).toBe("timeout");
    const controller = new AbortController();
    answer = () => controller.abort();
    expect((await failure(request("GET /api/health", { signal: controller.signal }))).code).toBe("cancelled");
    answer = (_, response) => void response.destroy();
    const error = await failure(request("GET /api/health"));
    expect([error.status, error.code]).toEqual([0, "network"]);
    expect(messageOf(error, "Login failed")).toBe("Login failed. Check your connection.");
    expect(messageOf(error, "It did not start.")).toBe("It did not start. Check your connection.");
    const said = "It did not start. Check your connection and try again.";
    expect(messageOf(error, said)).toBe(said);
  });
});

describe("a response whose body is cut off", () => {
  /** Sends the headers and half of the body. */
  const broken = (incoming: IncomingMessage, response: ServerResponse): void => {
    const body = JSON.stringify({ pong: "yes" });
    response.writeHead(200, { "Content-Type": "application/json", "Content-Length": body.length });
    response.write(body.slice(0, 4), () => incoming.socket.destroy());
  };

  test("is a lost connection, which is retried", async () => {
    answer = broken;
    const error = await failure(request("GET /api/health"));
    expect([error.status, error.code]).toEqual([0, "network"]);
  });

  test("is a time-out if it takes too long", async () => {
    answer = (_, response) => void response.writeHead(200, { "Content-Length": 99 }).write("{");
    expect((await failure(request("GET /api/health", { timeoutMs: 20 }))).code).toBe("timeout");
  });
});

describe("a 401", () => {
  const unauthenticated = json(401, { message: "Please sign in.", code: "unauthenticated", reason: "unauthenticated" });

  test("ends the session", async () => {
    startSession("old");
    answer = unauthenticated;
    await failure(request("GET /api/user"));
    expect(getToken()).toBeNull();
  });

  test("takes effect after a live call ends", async () => {
    startSession("old");
    setCallLive(true);
    answer = unauthenticated;
    await failure(request("GET /api/user"));
    expect(getToken()).toBe("old");
    setCallLive(false);
    expect(getToken()).toBeNull();
  });

  test("to a request of an earlier session leaves the current one alone", async () => {
    startSession("old");
    answer = (incoming, response) => {
      startSession("new");
      unauthenticated(incoming, response);
    };
    await failure(request("GET /api/user"));
    expect(getToken()).toBe("new");
  });
});
