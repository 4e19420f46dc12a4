import { expect, it } from "vitest";
import { parseReasons, q850Cause, writeReason } from "./reason.ts";
import { splitOutside } from "./quoting.ts";

it("several reasons of one header and of several are read, and malformed ones dropped", () => {
  const lines = [
    'SIP;cause=200;text="Call, completed \\"elsewhere\\""',
    "Q.850 ; cause=999, q.850;cause=34",
    ";cause=1",
    "preemption",
  ];
  const reasons = parseReasons(lines.flatMap((line) => splitOutside(line, ",")));
  expect(reasons).toEqual([
    { protocol: "SIP", cause: 200, text: 'Call, completed "elsewhere"' },
    { protocol: "Q.850", cause: null, text: null },
    { protocol: "q.850", cause: 34, text: null },
    { protocol: "preemption", cause: null, text: null },
  ]);
  expect(q850Cause(reasons)).toBe(34);
  expect(q850Cause([])).toBeNull();
});

it("a reason is written as it was read", () => {
  const reason = { protocol: "Q.850", cause: 16, text: 'Normal "call" clearing' };
  expect(writeReason(reason)).toBe('Q.850;cause=16;text="Normal \\"call\\" clearing"');
  expect(parseReasons([writeReason(reason)])).toEqual([reason]);
});
