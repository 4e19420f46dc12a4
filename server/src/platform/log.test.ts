import { setImmediate as nextTurn } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { aboutCall, createLog, describeError, inLogContext, nameCall, withoutLogContext } from "./log.ts";

function logToMemory() {
  const lines: Record<string, unknown>[] = [];
  const log = createLog("trace", "service", { write: (line: string) => void lines.push(JSON.parse(line)) });
  return { log, lines };
}

describe("a context", () => {
  test("is in every line logged within it, and in no other", async () => {
    const { log, lines } = logToMemory();
    const deep = async (what: string) => {
      await nextTurn();
      log.info({ call: what }, "deep");
    };
    await Promise.all([
      inLogContext({ request_id: "first" }, () => deep("a")),
      inLogContext({ job: "sweep", job_id: "second" }, () => deep("b")),
      deep("c"),
    ]);
    const contextOf = (call: string) => {
      const { request_id, job, job_id } = lines.find((line) => line["call"] === call) ?? {};
      return { request_id, job, job_id };
    };
    expect(contextOf("a")).toEqual({ request_id: "first" });
    expect(contextOf("b")).toEqual({ job: "sweep", job_id: "second" });
    expect(contextOf("c")).toEqual({});
  });
});

test("a line's own fields are in no other line of its request; a call that was named is", () => {
  const { log, lines } = logToMemory();
  inLogContext({ request_id: "first" }, () => {
    log.info({ err: new Error("no"), customer: "ann" }, "one");
    nameCall({ id: "call-1", session_id: null });
    log.info("two");
    aboutCall({ id: "call-2", session_id: "session-2" }, () => log.info("three"));
    withoutLogContext(() => log.info("four"));
    log.info("five");
  });
  const known = lines.slice(1).map(({ level: _l, time: _t, service: _s, ...rest }) => rest);
  expect(known).toEqual([
    { request_id: "first", call: "call-1", msg: "two" },
    { request_id: "first", call: "call-2", session: "session-2", msg: "three" },
    { msg: "four" },
    { request_id: "first", call: "call-1", msg: "five" },
  ]);
});

describe("an error", () => {
  test("is logged without the fields that may hold secrets", () => {
    const { log, lines } = logToMemory();
    const refused = Object.assign(new Error("duplicate key value"), {
      code: "23505",
      constraint: "customer_email_key",
      detail: "Key (email)=(ann@example.com) already exists.",
      headers: { authorization: "Bearer sk_live_1" },
    });
    log.warn({ err: new Error("not stored", { cause: refused }) }, "failed");
    expect(lines[0]).toMatchObject({
      err: { type: "Error", message: "not stored", cause: { code: "23505", constraint: "customer_email_key" } },
    });
    expect(JSON.stringify(lines)).not.toMatch(/ann@example|sk_live/);
  });

  test("is logged with the place where it was thrown", () => {
    expect(describeError(new TypeError("no such thing"))).toMatchObject({
      type: "TypeError",
      stack: expect.stringContaining("log.test.ts:"),
    });
  });

  test("is limited in length, even if it is its own cause", () => {
    const error = new Error("x".repeat(1_000_000));
    error.cause = error;
    expect(JSON.stringify(describeError(error)).length).toBeLessThan(25_000);
  });
});

test("log lines contain no phone numbers, email addresses or terminal control characters, in any field", () => {
  const { log, lines } = logToMemory();
  const cause = new Error("no mailbox ann.lee@mail.example.com");
  log.warn(
    {
      destination: "+447400123456",
      inputs: { numbers: ["+447400123456"], url: "/verified_numbers/%2B447400123456", spent: 4_500n.toString() },
      origin: "https://a\u009b2J\u202e",
      err: new Error("busy: +447400123456", { cause }),
    },
    "call refused",
  );
  const [line] = lines;
  expect(line).toMatchObject({
    destination: "+44******456",
    inputs: { numbers: ["+44******456"], url: "/verified_numbers/%2B******456", spent: "4500" },
    origin: "https://a 2J ",
    err: { message: "busy: +44******456", cause: { message: "no mailbox ***@mail.example.com" } },
  });
  expect(JSON.stringify(line)).not.toMatch(/447400123456|ann\.lee|[\u007f-\u009f\u202e]/);
});
