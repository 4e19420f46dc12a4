import { describe, expect, it } from "vitest";
import { request } from "../../test/message-samples.ts";
import type { SipMessage, SipRequest } from "../message/message.ts";
import { responseTo } from "../message/response.ts";
import { type Hop, TransactionLayer } from "./transaction-layer.ts";

const UDP: Hop = { reliable: false };
const TCP: Hop = { reliable: true };
const reply = (to: SipRequest, status: number, toTag = "theirs") => responseTo(to, status, "", { toTag });

function layer(maxTransactions = 100) {
  const sent: string[] = [];
  const heard: string[] = [];
  const name = (message: SipMessage) =>
    message.kind === "request" ? message.method : `${message.status} ${message.cseq.method}`;
  const transactions = new TransactionLayer<Hop>({
    maxTransactions,
    send: (message) => void sent.push(name(message)),
    user: {
      onRequest: ({ method }) => void heard.push(method),
      onAck: () => void heard.push("ACK"),
      onCancelled: () => void heard.push("cancelled"),
      onUnacknowledged: (_, { status }) => void heard.push(`unacknowledged ${status}`),
    },
  });
  const user = {
    onResponse: ({ status }: { status: number }) => void heard.push(String(status)),
    onFailed: (cause: string) => void heard.push(cause),
  };
  /** Runs the clock, and returns when something was sent. */
  const sentUntil = (end: number): number[] => {
    const at: number[] = [];
    while (transactions.nextTimer <= end) {
      const before = sent.length;
      const now = transactions.nextTimer;
      transactions.tick(now);
      for (let index = before; index < sent.length; index += 1) at.push(now);
    }
    return at;
  };
  return { transactions, sent, heard, user, sentUntil };
}

describe("a client transaction", () => {
  it("retransmits INVITE at doubling intervals and fails after 64 T1", () => {
    const { transactions, heard, user, sentUntil } = layer();
    transactions.request(request("INVITE"), UDP, user, 0);
    expect(sentUntil(100_000)).toEqual([500, 1_500, 3_500, 7_500, 15_500, 31_500]);
    expect(heard).toEqual(["timeout"]);
    expect(transactions.size).toBe(0);
  });

  it("retransmits other requests at intervals up to T2, and only those after a provisional response", () => {
    const { transactions, heard, user, sentUntil } = layer();
    transactions.request(request("BYE"), UDP, user, 0);
    expect(sentUntil(100_000)).toEqual([500, 1_500, 3_500, 7_500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500]);
    const bye = request("BYE");
    transactions.request(bye, UDP, user, 0);
    transactions.receive(reply(bye, 100), UDP, 100);
    expect(sentUntil(9_000)).toEqual([500, 4_500, 8_500]);
    expect(heard).toEqual(["timeout", "100"]);
  });

  it("retransmits nothing over a reliable transport", () => {
    const { transactions, heard, user, sentUntil } = layer();
    transactions.request(request("INVITE"), TCP, user, 0);
    transactions.request(request("BYE"), TCP, user, 0);
    expect(sentUntil(100_000)).toEqual([]);
    expect(heard).toEqual(["timeout", "timeout"]);
  });

  it("acknowledges each retransmission of a refusal for 32 s, and reports it once", () => {
    const { transactions, sent, heard, user } = layer();
    const invite = request("INVITE");
    transactions.request(invite, UDP, user, 0);
    for (const at of [1, 1_000, 31_000, 33_000]) {
      transactions.tick(at);
      transactions.receive(reply(invite, 486), UDP, at);
    }
    expect(sent).toEqual(["INVITE", "ACK", "ACK", "ACK"]);
    expect(heard).toEqual(["486"]);
  });

  it("reports every 2xx for 64 T1, so that each gets its ACK (RFC 6026)", () => {
    const { transactions, sent, heard, user } = layer();
    const invite = request("INVITE");
    transactions.request(invite, UDP, user, 0);
    for (const [at, tag] of [
      [1, "one"],
      [500, "one"],
      [600, "two"],
      [33_000, "one"],
    ] as const) {
      transactions.tick(at);
      transactions.receive(reply(invite, 200, tag), UDP, at);
    }
    expect(sent).toEqual(["INVITE"]);
    expect(heard).toEqual(["200", "200", "200"]);
  });

  it("sends CANCEL only after a provisional response, with the INVITE's branch, and gives up 64 T1 later", () => {
    const { transactions, sent, heard, user, sentUntil } = layer();
    const invite = request("INVITE");
    transactions.request(invite, TCP, user, 0);
    transactions.cancel(invite, 10);
    transactions.cancel(invite, 20);
    expect(sent).toEqual(["INVITE"]);
    transactions.receive(reply(invite, 180), TCP, 100);
    expect(sent).toEqual(["INVITE", "CANCEL"]);
    sentUntil(100_000);
    expect(heard).toEqual(["180", "timeout"]);
  });

  it("is not cancelled after its final response", () => {
    const { transactions, sent, user } = layer();
    const invite = request("INVITE");
    transactions.request(invite, TCP, user, 0);
    transactions.receive(reply(invite, 200), TCP, 1);
    transactions.cancel(invite, 2);
    expect(sent).toEqual(["INVITE"]);
  });

  it("survives a lost connection if the INVITE has a response, and sends other requests again", () => {
    const { transactions, sent, heard, user, sentUntil } = layer();
    const [lost, ringing, bye] = [request("INVITE"), request("INVITE"), request("BYE")];
    for (const message of [lost, ringing, bye]) transactions.request(message, TCP, user, 0);
    transactions.receive(reply(ringing, 180), TCP, 1);
    transactions.connectionLost(() => true, 1_000);
    expect(sentUntil(1_500)).toEqual([1_500]);
    expect(sent.at(-1)).toBe("BYE");
    transactions.receive(reply(ringing, 200), TCP, 2_000);
    expect(heard).toEqual(["180", "200"]);
    sentUntil(40_000);
    expect(heard.slice(2)).toEqual(["transport", "timeout"]);
  });

  it("cancels an INVITE whose connection broke before any response, at once and over the next", () => {
    for (const cancelsFirst of [true, false]) {
      const { transactions, sent, heard, user } = layer();
      const invite = request("INVITE");
      transactions.request(invite, TCP, user, 0);
      if (cancelsFirst) transactions.cancel(invite, 1);
      expect(sent).toEqual(["INVITE"]);
      transactions.connectionLost(() => true, 2);
      if (!cancelsFirst) transactions.cancel(invite, 3);
      expect(sent).toEqual(["INVITE", "CANCEL"]);
      transactions.receive(reply(invite, 487), TCP, 4);
      expect([sent.at(-1), ...heard]).toEqual(["ACK", "487"]);
    }
  });

  it("fails if the request cannot be sent or the table is full", () => {
    const { transactions, heard, user } = layer(1);
    const invite = request("INVITE");
    transactions.request(invite, UDP, user, 0);
    transactions.request(request("BYE"), UDP, user, 0);
    transactions.transportFailed(invite, 1);
    expect(heard).toEqual(["full", "transport"]);
    expect(transactions.size).toBe(0);
  });

  it("ignores responses to other branches and methods", () => {
    const { transactions, heard, user } = layer();
    const invite = request("INVITE");
    transactions.request(invite, UDP, user, 0);
    transactions.receive(reply(request("INVITE"), 200), UDP, 1);
    transactions.receive({ ...reply(invite, 200), cseq: { number: 1, method: "CANCEL" } }, UDP, 1);
    expect(heard).toEqual([]);
  });
});

describe("a server transaction", () => {
  it("sends 100 after 200 ms, and repeats the last provisional response for each retransmission", () => {
    const { transactions, sent, heard, sentUntil } = layer();
    const invite = request("INVITE");
    transactions.receive(invite, UDP, 0);
    expect(sentUntil(300)).toEqual([200]);
    transactions.respond(invite, reply(invite, 180), 400);
    transactions.receive(invite, UDP, 500);
    expect(sent).toEqual(["100 INVITE", "180 INVITE", "180 INVITE"]);
    expect(heard).toEqual(["INVITE"]);
  });

  it("retransmits a refusal until its ACK, over UDP only", () => {
    const { transactions, heard, sentUntil } = layer();
    const [invite, unheard, reliable] = [request("INVITE"), request("INVITE"), request("INVITE")];
    for (const message of [invite, unheard]) {
      transactions.receive(message, UDP, 0);
      transactions.respond(message, reply(message, 486), 0);
    }
    transactions.receive(reliable, TCP, 0);
    transactions.respond(reliable, reply(reliable, 486), 0);
    transactions.receive({ ...invite, method: "ACK", cseq: { number: 1, method: "ACK" } }, UDP, 1);
    expect(sentUntil(100_000)).toEqual([500, 1_500, 3_500, 7_500, 11_500, 15_500, 19_500, 23_500, 27_500, 31_500]);
    expect(heard.slice(3)).toEqual(["unacknowledged 486", "unacknowledged 486"]);
    expect(transactions.size).toBe(0);
  });

  it("retransmits a 2xx over every transport until its ACK, which it reports once", () => {
    const { transactions, heard, sentUntil } = layer();
    const [invite, unheard] = [request("INVITE"), request("INVITE", { callId: "other" })];
    for (const message of [invite, unheard]) {
      transactions.receive(message, TCP, 0);
      transactions.respond(message, reply(message, 200), 0);
    }
    const ack = request("ACK");
    transactions.receive(ack, TCP, 600);
    transactions.receive(ack, TCP, 700);
    expect(sentUntil(100_000).length).toBeGreaterThan(8);
    expect(heard).toEqual(["INVITE", "INVITE", "ACK", "unacknowledged 200"]);
  });

  it("repeats its final response to a retransmitted request for 64 T1 over UDP", () => {
    const { transactions, sent, heard } = layer();
    const bye = request("BYE");
    transactions.receive(bye, UDP, 0);
    transactions.receive(bye, UDP, 1);
    transactions.respond(bye, reply(bye, 200), 2);
    transactions.respond(bye, reply(bye, 500), 3);
    transactions.receive(bye, UDP, 31_000);
    expect(sent).toEqual(["200 BYE", "200 BYE"]);
    expect(heard).toEqual(["BYE"]);
  });

  it("answers CANCEL with 200 and reports it before the final response, else 481", () => {
    const { transactions, sent, heard } = layer();
    const [invite, other] = [request("INVITE"), request("INVITE")];
    const cancel = (of: SipRequest): SipRequest => ({ ...of, method: "CANCEL", cseq: { number: 1, method: "CANCEL" } });
    transactions.receive(invite, UDP, 0);
    transactions.receive(cancel(invite), UDP, 1);
    transactions.receive(cancel(other), UDP, 1);
    transactions.respond(invite, reply(invite, 487), 2);
    expect(sent).toEqual(["200 CANCEL", "481 CANCEL", "487 INVITE"]);
    expect(heard).toEqual(["INVITE", "cancelled"]);
  });

  it("is told from others by branch and sent-by, or without a magic cookie by the other fields", () => {
    const { transactions, heard } = layer();
    const bye = request("BYE");
    const via = bye.vias[0] ?? { transport: "UDP", host: "", port: null, parameters: new Map<string, string>() };
    const old = { ...via, parameters: new Map<string, string>() };
    for (const message of [
      bye,
      { ...bye, vias: [{ ...via, host: "203.0.113.8" }] },
      { ...bye, vias: [old] },
      { ...bye, vias: [old], cseq: { number: 2, method: "BYE" } },
      { ...bye, vias: [old] },
    ])
      transactions.receive(message, UDP, 0);
    expect(heard).toEqual(["BYE", "BYE", "BYE", "BYE"]);
  });

  it("is refused with 503 above the limit", () => {
    const { transactions, sent } = layer(1);
    transactions.receive(request("BYE"), UDP, 0);
    transactions.receive(request("BYE"), UDP, 0);
    expect(sent).toEqual(["503 BYE"]);
  });
});
