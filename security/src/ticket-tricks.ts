import { randomBytes, randomUUID } from "node:crypto";
import { base64 } from "./attacker.ts";
import type { Trick } from "./trick.ts";

const NO_TICKET = "dial without a good ticket";
const OTHER_NUMBER = "dial another number than the ticket's";
const TWICE = "use one ticket for several calls";

const randomTicket = () => randomBytes(32).toString("base64url");

/** What the far leg carries, with a forged proof. */
function farLegMark(callId: string): string {
  return base64(JSON.stringify({ call: callId, leg: "far", proof: randomTicket() }));
}

const withoutTicket: Trick[] = [
  { kind: NO_TICKET, name: "none", play: (turn) => turn.dial(turn.unpaid(), { clientState: "" }) },
  { kind: NO_TICKET, name: "made up", play: (turn) => turn.dial(turn.unpaid(), { clientState: base64(randomTicket()) }) },
  {
    kind: NO_TICKET,
    name: "expired",
    async play(turn) {
      const started = await turn.attacker.authorise(turn.paid());
      await turn.installation.database.handle.pool.query(
        "update call set ticket_expires_at = now() - interval '1 second' where id = $1",
        [started.call.id],
      );
      turn.unpaidNumbers.push(...turn.paidNumbers);
      await turn.dial(started.call.destination_number, { clientState: base64(started.ticket) });
    },
  },
  {
    kind: NO_TICKET,
    name: "of a call that was called off",
    async play(turn) {
      const started = await turn.attacker.authorise(turn.paid());
      turn.unpaidNumbers.push(...turn.paidNumbers);
      await turn.attacker.api("POST", `/api/calls/${started.call.id}/hangup`);
      await turn.dial(started.call.destination_number, { clientState: base64(started.ticket) });
    },
  },
  {
    kind: NO_TICKET,
    name: "of another customer",
    async play(turn) {
      const started = await turn.victim.authorise(turn.paid());
      turn.unpaidNumbers.push(...turn.paidNumbers);
      await turn.dial(started.call.destination_number, { clientState: base64(started.ticket) });
      await turn.victim.api("POST", `/api/calls/${started.call.id}/hangup`);
    },
  },
  {
    kind: NO_TICKET,
    name: "of an echo test",
    async play(turn) {
      const answer = await turn.attacker.api("POST", "/api/calls/echo-test");
      const { ticket } = JSON.parse(answer.text) as { ticket: string };
      await turn.dial(turn.unpaid(), { clientState: base64(ticket) });
      await turn.dial(`echo;to=${turn.unpaid()}`, { clientState: base64(ticket) });
    },
  },
  {
    kind: NO_TICKET,
    name: "a far leg's state of his own call",
    async play(turn) {
      const { line, started } = await turn.connect();
      const mark = farLegMark(started.call.id);
      await line.outcome(await line.invite(turn.unpaid(), { clientState: mark }));
    },
  },
];

/** Spellings of a number that a parser may read as another one. */
const disguises: readonly [string, (paid: string, unpaid: string) => string][] = [
  ["plain", (_paid, unpaid) => unpaid],
  ["SIP address", (_paid, unpaid) => `sip:${unpaid}@127.0.0.1`],
  ["tel address", (_paid, unpaid) => `tel:${unpaid}`],
  ["paid number as the user of another host", (paid, unpaid) => `sip:${paid}@${unpaid}`],
  ["both after a comma", (paid, unpaid) => `${paid},${unpaid}`],
  ["both after a semicolon", (paid, unpaid) => `${paid};phone-context=${unpaid}`],
  ["both after an at sign", (paid, unpaid) => `${paid}@${unpaid}`],
  ["line feed between", (paid, unpaid) => `${paid}\r\nTo: <sip:${unpaid}@127.0.0.1>`],
  ["digits of another script", (_paid, unpaid) => unpaid.replace(/\d/g, (digit) => String.fromCharCode(0x660 + Number(digit)))],
  ["full-width digits", (_paid, unpaid) => unpaid.replace(/\d/g, (digit) => String.fromCharCode(0xff10 + Number(digit)))],
  ["more digits behind", (paid, unpaid) => `${paid}${unpaid.slice(1, 4)}`],
  ["international prefix", (_paid, unpaid) => `00${unpaid.slice(1)}`],
  ["NUL between", (paid, unpaid) => `${paid}\0${unpaid}`],
];

const otherNumber: Trick[] = disguises.map(([name, disguise]) => ({
  kind: OTHER_NUMBER,
  name,
  async play(turn) {
    const [paid, unpaid] = [turn.paid(), turn.unpaid()];
    const started = await turn.attacker.authorise(paid);
    await turn.dial(disguise(paid, unpaid), {
      clientState: base64(started.ticket),
      caller_id_number: turn.random.pick([paid, unpaid, "+19005550100"]),
      remote_caller_id_number: unpaid,
      custom_headers: [
        { name: "X-Call-Ticket", value: started.ticket },
        { name: turn.random.pick(["X-To", "Route", "Diversion", "P-Asserted-Identity"]), value: unpaid },
      ],
    });
  },
}));

const several: Trick[] = [
  {
    kind: TWICE,
    name: "one after the other",
    async play(turn) {
      const { line, callID, started, number } = await turn.connect();
      await line.bye(callID);
      await line.outcome(await line.invite(number, { clientState: base64(started.ticket) }));
      await line.outcome(await line.invite(turn.unpaid(), { clientState: base64(started.ticket) }));
    },
  },
  {
    kind: TWICE,
    name: "on one socket at once",
    async play(turn) {
      const started = await turn.attacker.authorise(turn.paid());
      const line = await turn.attacker.line();
      const to = started.call.destination_number;
      const callIds = await Promise.all([1, 2, 3].map(() => line.invite(to, { clientState: base64(started.ticket) })));
      await Promise.all(callIds.map((callId) => line.outcome(callId)));
    },
  },
  {
    kind: TWICE,
    name: "on two sockets at once",
    async play(turn) {
      const started = await turn.attacker.authorise(turn.paid());
      const lines = await Promise.all([turn.attacker.line(), turn.attacker.line()]);
      const callID = randomUUID();
      const invites = lines.map((line) =>
        line.invite(started.call.destination_number, { callID, clientState: base64(started.ticket) }),
      );
      await Promise.all(invites);
      await Promise.all(lines.map((line) => line.outcome(callID)));
    },
  },
  {
    kind: TWICE,
    name: "one idempotency key for two numbers",
    async play(turn) {
      const key = { "idempotency-key": randomUUID() };
      const [paid, unpaid] = [turn.paid(), turn.unpaid()];
      const started = await turn.attacker.authorise(paid, key);
      const again = await turn.attacker.api("POST", "/api/calls/initiate", { destination_number: unpaid }, key);
      turn.check("the second number under the first one's key", again.status >= 400);
      const same = await turn.attacker.authorise(paid, key);
      await Promise.all([
        turn.dial(paid, { clientState: base64(started.ticket) }),
        turn.dial(unpaid, { clientState: base64(same.ticket) }),
      ]);
    },
  },
];

/** Pages draw their tickets and dial before the service has decided. */
const tooEarly: Trick[] = [
  {
    kind: NO_TICKET,
    name: "drawn, and the service never asked",
    play: (turn) => turn.dial(turn.unpaid(), { clientState: base64(randomTicket()) }),
  },
  {
    kind: NO_TICKET,
    name: "drawn, dialled, and refused by the service",
    async play(turn) {
      const [ticket, emergency] = [randomTicket(), "911"];
      const dialled = turn.dial(turn.unpaid(), { clientState: base64(ticket) });
      const answer = await turn.attacker.api("POST", "/api/calls/initiate", {
        destination_number: emergency,
        destination_country: "US",
        ticket,
      });
      turn.check("an emergency number with a drawn ticket", answer.status >= 400);
      await dialled;
    },
  },
  {
    kind: OTHER_NUMBER,
    name: "dialled before another number is authorised with the ticket",
    async play(turn) {
      const ticket = randomTicket();
      const dialled = turn.dial(turn.unpaid(), { clientState: base64(ticket) });
      await turn.attacker.authorise(turn.paid(), {}, ticket);
      turn.unpaidNumbers.push(...turn.paidNumbers);
      await dialled;
    },
  },
  {
    kind: NO_TICKET,
    name: "dialled before another customer authorises with the ticket",
    async play(turn) {
      const ticket = randomTicket();
      const number = turn.paid();
      turn.unpaidNumbers.push(...turn.paidNumbers);
      const dialled = turn.dial(number, { clientState: base64(ticket) });
      const started = await turn.victim.authorise(number, {}, ticket);
      await dialled;
      await turn.victim.api("POST", `/api/calls/${started.call.id}/hangup`);
    },
  },
  {
    kind: TWICE,
    name: "two legs that wait for the decision",
    async play(turn) {
      const [ticket, number] = [randomTicket(), turn.paid()];
      const line = await turn.attacker.line();
      const callIds = await Promise.all([1, 2].map(() => line.invite(number, { clientState: base64(ticket) })));
      await turn.attacker.authorise(number, {}, ticket);
      const outcomes = await Promise.all(callIds.map((callId) => line.outcome(callId)));
      turn.check("the second of two legs with a ticket", outcomes.filter((one) => one === "answered").length <= 1);
    },
  },
  {
    kind: TWICE,
    name: "one drawn ticket for two calls",
    async play(turn) {
      const [ticket, number] = [randomTicket(), turn.paid()];
      await turn.attacker.authorise(number, {}, ticket);
      const body = { destination_number: turn.paid(), ticket };
      const again = await turn.attacker.api("POST", "/api/calls/initiate", body);
      turn.check("a second call with a drawn ticket", again.status >= 400);
      await turn.dial(number, { clientState: base64(ticket) });
    },
  },
];

export const ticketTricks: readonly Trick[] = [...withoutTicket, ...otherNumber, ...several, ...tooEarly];
