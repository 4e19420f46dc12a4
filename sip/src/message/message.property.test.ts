import { fc, test } from "@fast-check/vitest";
import { describe, expect } from "vitest";
import { messages, nameAddresses, vias } from "../../test/arbitrary-messages.ts";
import { parseNameAddress, writeNameAddress } from "./name-address.ts";
import { parseMessage } from "./parse-message.ts";
import { quote, splitOutside, unquote } from "./quoting.ts";
import { escapeUser, parseUri, sameUri, userOf, writeUri } from "./uri.ts";
import { parseVia, writeVia } from "./via.ts";
import { writeMessage } from "./write-message.ts";

/** What was read, without the texts that only responses repeat. Arbitrary URIs have flaws. */
function read(bytes: Uint8Array) {
  const result = parseMessage(bytes);
  if (!result.ok || result.message.kind === "response") return result;
  const { received: _, flaw: _flaw, ...message } = result.message;
  return { ok: true, message };
}

describe("what is written is read again", () => {
  test.prop([messages])("as a message", (message) => {
    expect(read(writeMessage(message))).toEqual({ ok: true, message });
  });

  test.prop([messages, fc.nat(9)])("as a message that is folded, with compact names and more white space", (message, seed) => {
    const written = writeMessage(message);
    const end = written.indexOf("\r\n\r\n");
    const head = written
      .toString("utf8", 0, end)
      .replace(/^From: /m, seed % 2 === 0 ? "f:" : "From : ")
      .replace(/^Call-ID: /m, seed % 3 === 0 ? "i:\r\n\t" : "call-id: \r\n  ")
      .replaceAll("\r\nVia: ", seed % 5 === 0 ? "\r\nv: " : "\r\nVIA:\r\n ");
    expect(read(Buffer.concat([Buffer.from(head), written.subarray(end)]))).toEqual({ ok: true, message });
  });

  test.prop([nameAddresses])("as a name and address", (address) => {
    expect(parseNameAddress(writeNameAddress(address))).toEqual(address);
  });

  test.prop([vias])("as a Via", (via) => {
    expect(parseVia(writeVia(via))).toEqual(via);
  });

  test.prop([fc.string({ unit: "grapheme" })])("as a quoted string, which no separator splits", (text) => {
    expect(unquote(quote(text))).toBe(text);
    expect(splitOutside(`${quote(text)};a,b`, ",")).toEqual([`${quote(text)};a`, "b"]);
  });

  test.prop([fc.string({ unit: "grapheme", minLength: 1 })])("as the user of a URI", (text) => {
    const uri = `sip:${escapeUser(text)}@b.example`;
    const parsed = parseUri(uri);
    expect(parsed && writeUri(parsed)).toBe(uri);
    expect(userOf(uri)).toBe(text.replace(/;.*$/s, ""));
    expect(
      sameUri(
        uri,
        uri.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase()),
      ),
    ).toBe(true);
  });
});
