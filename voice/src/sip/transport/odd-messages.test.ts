import { createSocket } from "node:dgram";
import { afterEach, describe, expect, it } from "vitest";
import {
  answerCalls,
  fieldOf,
  replyTo,
  requestInDialog,
  type SocketCarrier,
  startSocketCarrier,
} from "../../../test/socket-carrier.ts";
import { dial, OFFER, SipBench, trunkTo } from "../../../test/sip-bench.ts";

/** An address may send a hundred datagrams at once. */
const FLOOD = 150;

const bench = new SipBench();
afterEach(() => bench.end());

type Change = (message: string) => string;
const same: Change = (message) => message;

/** An answered call whose 200 and BYE are changed. Over UDP the BYE goes where the INVITE came from. */
async function changedCall(transport: "udp" | "tcp", answer: Change, bye: Change) {
  const far: SocketCarrier = await startSocketCarrier(transport, (message, send) => {
    const headers = [`Contact: <sip:c@127.0.0.1:${far.port};transport=${transport}>`];
    if (message.startsWith("INVITE ")) send(answer(replyTo(message, "200 OK", { headers, sdp: OFFER })));
    else if (message.startsWith("ACK "))
      send(bye(requestInDialog(far.heard[0] ?? "", "BYE", 7).replace(";branch", ";rport;branch")));
    else answerCalls(OFFER, far.port)(message, send);
  });
  bench.add(() => far.close());
  return { far, ...dial(await bench.trunks([trunkTo(far.port, { transport })])) };
}

const insert =
  (line: string): Change =>
  (message) =>
    message.replace("\r\nCall-ID", `\r\n${line}\r\nCall-ID`);

describe.each(["udp", "tcp"] as const)("over %s", (transport) => {
  it.each([
    ["a header name with a space", insert("X Odd: 1")],
    ["a line without a colon", insert("odd")],
    ["a control character", insert("Subject: a\u0001b")],
    ["more spaces in the request line", (message: string) => message.replace(" SIP/2.0\r\n", "  SIP/2.0 \r\n")],
    ["a Request-URI of another scheme", (message: string) => message.replace(/^BYE \S+/, "BYE urn:nobody")],
    ["a Via with empty parameters", (message: string) => message.replace(";branch", ";;branch")],
    ["a From of unclosed quotes", (message: string) => message.replace("From: ", 'From: "')],
  ])("%s costs neither the answer nor the hang-up", async (_, change) => {
    const { answered, ended } = await changedCall(transport, change, change);
    await answered;
    expect(await ended).toMatchObject({ by: "callee", answered: true });
  });

  it("a hang-up without a length counts", async () => {
    const { answered, ended } = await changedCall(transport, same, (message) => message.replace("Content-Length: 0\r\n", ""));
    await answered;
    expect(await ended).toMatchObject({ by: "callee", answered: true });
  });

  it("a request that cannot be read is refused with 400 or 505, with its own fields", async () => {
    const { far, answered } = await changedCall(transport, same, (message) => message.replace("SIP/2.0\r\n", "SIP/7.0\r\n"));
    await answered;
    await expect.poll(() => far.heard.filter((message) => message.startsWith("SIP/2.0 505 "))).toHaveLength(1);
    const { far: other } = await changedCall(transport, same, (message) => message.replace("7 BYE", "7 INFO"));
    await expect.poll(() => other.heard.filter((message) => message.startsWith("SIP/2.0 400 "))).toHaveLength(1);
    expect(fieldOf(other.heard.at(-1) ?? "", "CSeq")).toBe("7 INFO");
  });
});

it("a hang-up that is sent once counts, also from an address that has used up its budget by a flood", async () => {
  const stranger = createSocket("udp4");
  bench.add(async () => void stranger.close());
  await new Promise<void>((resolve) => stranger.bind(0, "127.0.0.9", resolve));
  const far: SocketCarrier = await startSocketCarrier("udp", (message, send) => answerCalls(OFFER, far.port)(message, send));
  bench.add(() => far.close());
  const trunks = await bench.trunks([trunkTo(far.port)]);
  const { answered, ended } = dial(trunks);
  await answered;
  for (let sent = 0; sent < FLOOD; sent += 1)
    stranger.send(`OPTIONS sip:x SIP/2.0\r\nCall-ID: ${sent}\r\n\r\n`, trunks.port, "127.0.0.1");
  stranger.send(requestInDialog(far.heard[0] ?? "", "BYE", 7).replace("SIP/2.0/TCP", "SIP/2.0/UDP"), trunks.port, "127.0.0.1");
  expect(await ended).toMatchObject({ by: "callee", answered: true });
});
