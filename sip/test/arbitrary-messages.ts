import fc from "fast-check";
import type { NameAddress, Parameters, SipMessage, Via } from "../src/message/message.ts";

/** Messages as the parser produces them, for property tests. */

const TOKEN = "abcdefghijklmnopqrstuvwxyz0123456789-.!%*_+`'~";
const token = fc.string({ unit: fc.constantFrom(...TOKEN), minLength: 1, maxLength: 20 });
/** Any text without line breaks, in which white space is not at the ends. */
const text = fc.string({ unit: "grapheme", maxLength: 40 }).map((raw) =>
  raw
    .toWellFormed()
    .replace(/[\r\n]/g, "")
    .trim(),
);
/** A header value: without bare control characters and backslashes. */
// oxlint-disable-next-line no-control-regex -- those are removed
const value = text.map((raw) => raw.replace(/[\u0000-\u001F\u007F\\]/g, "").trim());
const host = fc.oneof(fc.domain(), fc.ipV4(), fc.constant("2001:db8::1"));
const port = fc.option(fc.integer({ min: 1, max: 65_535 }));

const parameters: fc.Arbitrary<Parameters> = fc
  .array(fc.tuple(token, fc.oneof(fc.constant(null), token, text)), { maxLength: 4 })
  .map((entries) => new Map(entries));

const uri = fc.oneof(
  fc.tuple(token, host, port).map(([user, name, at]) => {
    return `sip:${user}@${name.includes(":") ? `[${name}]` : name}${at === null ? "" : `:${at}`};transport=tcp?x=y`;
  }),
  token.map((number) => `tel:${number};phone-context=example.com`),
);

export const nameAddresses: fc.Arbitrary<NameAddress> = fc.record({ display: text, uri, parameters });

export const vias: fc.Arbitrary<Via> = fc.record({
  transport: fc.constantFrom("UDP", "TCP", "TLS", "WSS"),
  host,
  port,
  parameters,
});

const HEADER_NAMES = [
  "subject",
  "user-agent",
  "x-thing",
  "www-authenticate",
  "p-asserted-identity",
  "contact",
  "reason",
  "min-se",
];
const headers = fc
  .array(fc.tuple(fc.constantFrom(...HEADER_NAMES), fc.array(token, { minLength: 1, maxLength: 3 })), { maxLength: 5 })
  .chain((lists) => value.map((free) => new Map<string, string[]>([...lists, ["organization", [free]]])));

const common = {
  vias: fc.array(vias, { minLength: 1, maxLength: 3 }),
  from: nameAddresses,
  to: nameAddresses,
  callId: fc.tuple(token, host).map(([word, at]) => `${word}@${at}`),
  number: fc.integer({ min: 0, max: 2 ** 31 - 1 }),
  method: fc.oneof(fc.constantFrom("INVITE", "BYE", "OPTIONS"), token),
  headers,
  body: fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes)),
};

export const messages: fc.Arbitrary<SipMessage> = fc.oneof(
  fc
    .record({ ...common, uri })
    .map(({ number, method, ...rest }): SipMessage => ({ kind: "request", method, cseq: { number, method }, ...rest })),
  fc
    .record({ ...common, status: fc.integer({ min: 100, max: 699 }), reason: value })
    .map(({ number, method, ...rest }): SipMessage => ({ kind: "response", cseq: { number, method }, ...rest })),
);
