import * as fc from "fast-check";

/** Only local names and addresses, so that no input reaches another machine. */
const fixed = [
  ...["", " ", "\t", "\0", "\r", "\n", "\r\n", "\r\n ", "\r\n\t", "\u2028", "\uFEFF", "\uD800", "é", "𝒜", "🙂"],
  ...["0", "-1", "1e9", "65535", "65536", "2147483648", "4294967295", "4294967296", "18446744073709551616", "NaN", "0x10", "٣"],
  ...['"', '\\"', "\\", "<", ">", "<>", "(", ")", "[", "]", "[::1]", "[::", "{", ";", ";;", ",", ",,", "=", "@", ":", "%00", "%"],
  ...["sip:", "sips:a@127.0.0.1", "<sip:a@127.0.0.1;lr>", "tel:+1", "*", "SIP/2.0", "SIP/3.0", "INVITE", "BYE", "ACK", "PRACK"],
  ...["IN IP4 127.0.0.1", "IN IP6 ::1", "IN IP4 0.0.0.0", "RTP/AVP", "UDP/TLS/RTP/SAVPF", "__proto__", "constructor", "z9hG4bK"],
];
const repeated = fc
  .record({
    text: fc.constantFrom(...fixed, ";a=", "a,", " ", "((", '"', "\r\n ", "%41"),
    times: fc.constantFrom(2, 64, 1_000, 5_000),
  })
  .map(({ text, times }) => text.repeat(times).slice(0, 15_000));

/** Text that often breaks parsers. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...fixed) },
  { weight: 2, arbitrary: fc.integer().map(String) },
  { weight: 1, arbitrary: fc.string({ maxLength: 40, unit: "binary" }) },
  { weight: 1, arbitrary: repeated },
);
