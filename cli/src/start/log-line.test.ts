import { expect, test } from "vitest";
import { logLine } from "./log-line.ts";

const EVENT = JSON.stringify({
  level: 40,
  time: "2026-03-01T10:20:30.123Z",
  service: "service",
  request_id: "r1",
  call: { id: 7 },
  err: {
    type: "Error",
    message: "no route",
    stack: "    at dial (server/src/calls/dial.ts:12:3)",
    cause: { type: "Error", message: "far" },
  },
  msg: "call could not be dialled",
});

test("the JSON form contains only JSON lines, whatever a program prints", () => {
  expect(logLine("json", "service", EVENT)).toBe(EVENT);
  for (const line of ["SyntaxError: Unexpected token", "{", "{}", '{"level":"high"}'])
    expect(JSON.parse(logLine("json", "exchange", line))).toMatchObject({ level: 30, service: "exchange", msg: line });
});

test("the terminal form shows time, level, message, fields, and an error's file and line", () => {
  expect(logLine("terminal", "service", EVENT).split("\n")).toEqual([
    'service  | 10:20:30 WARN  call could not be dialled request_id=r1 call={"id":7}',
    "service  |   Error: no route",
    "service  |     at dial (server/src/calls/dial.ts:12:3)",
    "service  |   Error: far",
  ]);
  expect(logLine("terminal", "farline", "Ready in 3 s.")).toBe("farline  | Ready in 3 s.");
});

test("untrusted text in a field cannot control the terminal", () => {
  const origin = "https://a\u009b2J\u202e\u001b[31m";
  const event = JSON.stringify({ level: 30, time: "2026-03-01T10:20:30.123Z", origin, msg: "refused", err: { message: origin } });
  for (const line of [event, `not JSON ${origin}`])
    expect(logLine("terminal", "service", line)).not.toMatch(/[^\P{Cc}\n]|\u202e/u);
});
