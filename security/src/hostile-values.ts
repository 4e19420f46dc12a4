/** Placeholder in a JSON text for a number that JSON can express and JavaScript cannot represent. */
const TOO_LARGE = "\u0001too large\u0001";

/** Values that few fields expect. Each is tried in each field of each route. */
export const HOSTILE_VALUES: readonly unknown[] = [
  null,
  true,
  -1,
  0.5,
  Number.MAX_SAFE_INTEGER,
  TOO_LARGE,
  "",
  " ",
  "\0",
  "a\0b",
  "\ud800",
  "x\udfffy",
  "x".repeat(5_000),
  "9".repeat(400),
  "-9223372036854775809",
  "1e400",
  "__proto__",
  "constructor",
  "\u202egnol\u200b\u2066",
  "'; drop table customer; --",
  "../../etc/passwd",
  "a\r\nSet-Cookie: a=b",
  "%00",
  "not-a-uuid",
  "2026-13-45",
  "+275760-09-13T00:00:00.001Z",
  "-271821-04-20T00:00:00.000Z",
  {},
  JSON.parse('{"__proto__": {"admin": true}, "constructor": {"prototype": 1}}'),
  [],
  [null],
  Array.from({ length: 2_000 }, () => 0),
  nested(20),
  nested(2_000),
];

/** Whole bodies that are not objects with fields. */
export const HOSTILE_BODIES: readonly string[] = [
  "null",
  "[]",
  "5",
  '"text"',
  "{",
  '{"a":1,"a":2}',
  "[".repeat(20_000),
  `{"a":${"[".repeat(5_000)}${"]".repeat(5_000)}}`,
  '{"__proto__":{"x":1},"constructor":null,"toString":1,"hasOwnProperty":2}',
  "\u0000",
  "x".repeat(70_000),
];

/** JSON in which the placeholder has become a number that no JavaScript value can represent. */
export function hostileJson(value: unknown): string {
  return JSON.stringify(value).replaceAll(JSON.stringify(TOO_LARGE), "1e400");
}

function nested(depth: number): unknown {
  let value: unknown = "deep";
  for (let i = 0; i < depth; i += 1) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}
