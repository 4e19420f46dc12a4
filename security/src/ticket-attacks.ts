import { randomBytes, randomUUID } from "node:crypto";
import { base64 } from "./attacker.ts";
import type { Attack } from "./attack.ts";

const NO_TICKET = "dial without a valid ticket";
const OTHER_NUMBER = "dial a number other than the ticket's";
const TWICE = "use one ticket for several calls";

const randomTicket = () => randomBytes(32).toString("base64url");

/** The client state of a far leg, with a forged proof. */
function farLegState(callId: string): string {
  return base64(JSON.stringify({ call: callId, leg: "far", proof: randomTicket() }));
}

const withoutTicket: Attack[] = [
  { kind: NO_TICKET, name: "none", execute: (run) => run.dial(run.unpaid(), { clientState: "" }) },
  { kind: NO_TICKET, name: "made up", execute: (run) => run.dial(run.unpaid(), { clientState: base64(randomTicket()) }) },
  {
    kind: NO_TICKET,
    name: "expired",
    async execute(run) {
      const started = await run.attacker.authorise(run.paid());
      await run.installation.database.handle.pool.query(
        "update call set ticket_expires_at = now() - interval '1 second' where id = $1",
        [started.call.id],
      );
      run.unpaidNumbers.push(...run.paidNumbers);
      await run.dial(started.call.destination_number, { clientState: base64(started.ticket) });
    },
  },
  {
    kind: NO_TICKET,
    name: "of a cancelled call",
    async execute(run) {
      const started = await run.attacker.authorise(run.paid());
      run.unpaidNumbers.push(...run.paidNumbers);
      await run.attacker.api("POST", `/api/calls/${started.call.id}/hangup`);
      await run.dial(started.call.destination_number, { clientState: base64(started.ticket) });
    },
  },
  {
    kind: NO_TICKET,
    name: "of another customer",
    async execute(run) {
      const started = await run.victim.authorise(run.paid());
      run.unpaidNumbers.push(...run.paidNumbers);
      await run.dial(started.call.destination_number, { clientState: base64(started.ticket) });
      await run.victim.api("POST", `/api/calls/${started.call.id}/hangup`);
    },
  },
  {
    kind: NO_TICKET,
    name: "of an echo test",
    async execute(run) {
      const answer = await run.attacker.api("POST", "/api/calls/echo-test");
      const { ticket } = JSON.parse(answer.text) as { ticket: string };
      await run.dial(run.unpaid(), { clientState: base64(ticket) });
      await run.dial(`echo;to=${run.unpaid()}`, { clientState: base64(ticket) });
    },
  },
  {
    kind: NO_TICKET,
    name: "the far leg's state of the attacker's own call",
    async execute(run) {
      const { line, started } = await run.connect();
      const clientState = farLegState(started.call.id);
      await line.outcome(await line.invite(run.unpaid(), { clientState }));
    },
  },
];

/** Spellings that a parser may read as the paid number, the unpaid one or both. */
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
  ["extra digits appended", (paid, unpaid) => `${paid}${unpaid.slice(1, 4)}`],
  ["international prefix", (_paid, unpaid) => `00${unpaid.slice(1)}`],
  ["NUL between", (paid, unpaid) => `${paid}\0${unpaid}`],
];

const otherNumber: Attack[] = disguises.map(([name, disguise]) => ({
  kind: OTHER_NUMBER,
  name,
  async execute(run) {
    const [paid, unpaid] = [run.paid(), run.unpaid()];
    const started = await run.attacker.authorise(paid);
    await run.dial(disguise(paid, unpaid), {
      clientState: base64(started.ticket),
      caller_id_number: run.random.pick([paid, unpaid, "+19005550100"]),
      remote_caller_id_number: unpaid,
      custom_headers: [
        { name: "X-Call-Ticket", value: started.ticket },
        { name: run.random.pick(["X-To", "Route", "Diversion", "P-Asserted-Identity"]), value: unpaid },
      ],
    });
  },
}));

const several: Attack[] = [
  {
    kind: TWICE,
    name: "one after the other",
    async execute(run) {
      const { line, callID, started, number } = await run.connect();
      await line.bye(callID);
      await line.outcome(await line.invite(number, { clientState: base64(started.ticket) }));
      await line.outcome(await line.invite(run.unpaid(), { clientState: base64(started.ticket) }));
    },
  },
  {
    kind: TWICE,
    name: "on one socket at once",
    async execute(run) {
      const started = await run.attacker.authorise(run.paid());
      const line = await run.attacker.line();
      const to = started.call.destination_number;
      const callIds = await Promise.all([1, 2, 3].map(() => line.invite(to, { clientState: base64(started.ticket) })));
      await Promise.all(callIds.map((callId) => line.outcome(callId)));
    },
  },
  {
    kind: TWICE,
    name: "on two sockets at once",
    async execute(run) {
      const started = await run.attacker.authorise(run.paid());
      const lines = await Promise.all([run.attacker.line(), run.attacker.line()]);
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
    async execute(run) {
      const key = { "idempotency-key": randomUUID() };
      const [paid, unpaid] = [run.paid(), run.unpaid()];
      const started = await run.attacker.authorise(paid, key);
      const again = await run.attacker.api("POST", "/api/calls/initiate", { destination_number: unpaid }, key);
      run.check("the second number under the first one's key", again.status >= 400);
      const same = await run.attacker.authorise(paid, key);
      await Promise.all([
        run.dial(paid, { clientState: base64(started.ticket) }),
        run.dial(unpaid, { clientState: base64(same.ticket) }),
      ]);
    },
  },
];

/** Pages generate their tickets and dial before the service has decided. */
const tooEarly: Attack[] = [
  {
    kind: NO_TICKET,
    name: "generated, but the service is never asked",
    execute: (run) => run.dial(run.unpaid(), { clientState: base64(randomTicket()) }),
  },
  {
    kind: NO_TICKET,
    name: "generated, dialled, then refused by the service",
    async execute(run) {
      const [ticket, emergency] = [randomTicket(), "911"];
      const dialled = run.dial(run.unpaid(), { clientState: base64(ticket) });
      const answer = await run.attacker.api("POST", "/api/calls/initiate", {
        destination_number: emergency,
        destination_country: "US",
        ticket,
      });
      run.check("an emergency number with a generated ticket", answer.status >= 400);
      await dialled;
    },
  },
  {
    kind: OTHER_NUMBER,
    name: "dialled before another number is authorised with the ticket",
    async execute(run) {
      const ticket = randomTicket();
      const dialled = run.dial(run.unpaid(), { clientState: base64(ticket) });
      await run.attacker.authorise(run.paid(), {}, ticket);
      run.unpaidNumbers.push(...run.paidNumbers);
      await dialled;
    },
  },
  {
    kind: NO_TICKET,
    name: "dialled before another customer authorises with the ticket",
    async execute(run) {
      const ticket = randomTicket();
      const number = run.paid();
      run.unpaidNumbers.push(...run.paidNumbers);
      const dialled = run.dial(number, { clientState: base64(ticket) });
      const started = await run.victim.authorise(number, {}, ticket);
      await dialled;
      await run.victim.api("POST", `/api/calls/${started.call.id}/hangup`);
    },
  },
  {
    kind: TWICE,
    name: "by two legs that wait for the decision",
    async execute(run) {
      const [ticket, number] = [randomTicket(), run.paid()];
      const line = await run.attacker.line();
      const callIds = await Promise.all([1, 2].map(() => line.invite(number, { clientState: base64(ticket) })));
      await run.attacker.authorise(number, {}, ticket);
      const outcomes = await Promise.all(callIds.map((callId) => line.outcome(callId)));
      run.check("the second of two legs with a ticket", outcomes.filter((one) => one === "answered").length <= 1);
    },
  },
  {
    kind: TWICE,
    name: "by generating one ticket for two calls",
    async execute(run) {
      const [ticket, number] = [randomTicket(), run.paid()];
      await run.attacker.authorise(number, {}, ticket);
      const body = { destination_number: run.paid(), ticket };
      const again = await run.attacker.api("POST", "/api/calls/initiate", body);
      run.check("a second call with a generated ticket", again.status >= 400);
      await run.dial(number, { clientState: base64(ticket) });
    },
  },
];

export const ticketAttacks: readonly Attack[] = [...withoutTicket, ...otherNumber, ...several, ...tooEarly];
