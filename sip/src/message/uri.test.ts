import { describe, expect, it } from "vitest";
import { escapeUser, parseUri, sameUri, userOf, writeUri } from "./uri.ts";

describe("a URI", () => {
  it.each([
    "sip:b.example",
    "sip:+442079460000;npdi;rn=+44207@192.0.2.1:5070;transport=tcp;lr",
    "sips:ann:secret@[2001:db8::1]:5061;maddr=192.0.2.9?subject=a%20b&priority=urgent",
    "sip:1_unusual.URI~(to-be!sure)&isn't+it$/crazy?,/;;*@b.example",
    "sip:sips%3Aann%40b.example@c.example;other-param=summit",
    "tel:+44-20-7946-0000;ext=12;phone-context=example.com",
  ])("%s is written as it was read", (text) => {
    const uri = parseUri(text);
    expect(uri && writeUri(uri)).toBe(text);
  });

  it.each([
    "",
    "sip:",
    "sip:@b.example",
    "sip:a@b@c",
    "sip:a@b.example:0",
    "sip:a@b.example:70000",
    "sip:a b@c.example",
    "sip:a@[::1",
    "sip:a@b;=x",
    "http://b.example",
    "tel:anna",
    `sip:${"a".repeat(3_000)}@b.example`,
    `sip:b.example${";a".repeat(100)}`,
  ])("%s is malformed", (text) => {
    expect(parseUri(text)).toBeNull();
  });

  it("has a user without its parameters and escapes", () => {
    expect(userOf("sip:+442079460000;phone-context=x@127.0.0.1:5060")).toBe("+442079460000");
    expect(userOf("tel:+442079460000;ext=1")).toBe("+442079460000");
    expect(userOf("sip:%2B44%20%C3%A9@b.example")).toBe("+44 é");
    expect(userOf("sip:caf%e9@b.example")).toBe("caf%e9");
    expect(userOf("sip:127.0.0.1:5060")).toBe("");
    expect(userOf("mailto:a@b")).toBe("");
  });

  it("has an escaped user", () => {
    expect(escapeUser("+44 (20)/7#;é@x")).toBe("+44%20(20)/7%23;%C3%A9%40x");
    expect(parseUri(`sip:${escapeUser("a:b@c\ud800%")}@b.example`)).not.toBeNull();
  });
});

describe("URIs are equivalent", () => {
  it.each([
    ["sip:%61lice@atlanta.example;transport=TCP", "sip:alice@AtLanTa.example;Transport=tcp"],
    ["sip:carol@chicago.example", "sip:carol@chicago.example;newparam=5"],
    ["sip:carol@chicago.example;security=on", "sip:carol@chicago.example;newparam=5"],
    ["sip:b.example;transport=tcp;method=REGISTER?to=sip:x%40y", "sip:b.example;method=REGISTER;transport=tcp?to=sip:x%40y"],
    ["sip:a@b.example?subject=x&priority=urgent", "sip:a@b.example?priority=urgent&subject=x"],
    ["tel:+1-201-555-0123", "tel:+1.201.555.0123"],
  ])("%s and %s", (a, b) => {
    expect([sameUri(a, b), sameUri(b, a)]).toEqual([true, true]);
  });
});

describe("URIs differ", () => {
  it.each([
    ["SIP:ALICE@b.example", "sip:alice@b.example"],
    ["sip:bob@b.example", "sip:bob@b.example:5060"],
    ["sip:bob@b.example", "sip:bob@b.example;transport=udp"],
    ["sip:bob@b.example", "sips:bob@b.example"],
    ["sip:carol@b.example", "sip:carol@b.example?Subject=next%20meeting"],
    ["sip:bob@b.example;security=on", "sip:bob@b.example;security=off"],
    ["sip:a%3Bb@b.example", "sip:a;b@b.example"],
    ["sip:bob@b.example;maddr=192.0.2.1", "sip:bob@b.example"],
    ["sip:bob@phone21.b.example", "sip:bob@192.0.2.4"],
    ["tel:+12015550123", "sip:+12015550123@b.example"],
    ["tel:12;phone-context=a", "tel:12;phone-context=b"],
  ])("%s and %s", (a, b) => {
    expect([sameUri(a, b), sameUri(b, a)]).toEqual([false, false]);
  });
});
