import { spellingOf } from "./header-names.ts";
import type { SipMessage } from "./message.ts";
import { writeNameAddress } from "./name-address.ts";
import { writeVia } from "./via.ts";

/** Writes a message with its Content-Length (RFC 3261 §7). Line breaks in values become spaces, so that no value adds a header. */
export function writeMessage(message: SipMessage): Buffer {
  const startLine =
    message.kind === "request" ? `${message.method} ${message.uri} SIP/2.0` : `SIP/2.0 ${message.status} ${message.reason}`;
  const { vias, from, to, callId, cseq } = (message.kind === "response" ? message.repeats : undefined) ?? {
    vias: message.vias.map(writeVia),
    from: writeNameAddress(message.from),
    to: writeNameAddress(message.to),
    callId: message.callId,
    cseq: `${message.cseq.number} ${message.cseq.method}`,
  };
  const known = [`From: ${from}`, `To: ${to}`, `Call-ID: ${callId}`, `CSeq: ${cseq}`];
  const lines = [
    startLine,
    ...vias.map((via) => `Via: ${via}`),
    // Only a refusal of a request without them lacks any.
    ...known.filter((line) => !line.endsWith(": ")),
    ...[...message.headers].flatMap(([name, values]) => values.map((value) => `${spellingOf(name)}: ${value}`)),
    `Content-Length: ${message.body.length}`,
  ];
  const head = lines.map((line) => line.replace(/[\r\n]+/g, " ")).join("\r\n");
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`, "utf8"), message.body]);
}
