import { randomUUID } from "node:crypto";
import { base64 } from "./attacker.ts";
import type { Trick, Turn } from "./trick.ts";

const REDIRECT = "change the destination by a message";
const FOREIGN = "take another caller's call";

/** Requests of Verto and FreeSWITCH that name a destination, sent for a connected call. */
const redirections: readonly [string, string, (to: string) => Record<string, unknown>][] = [
  ["modify transfer", "telnyx_rtc.modify", (to) => ({ action: "transfer", destination: to })],
  ["modify replace", "telnyx_rtc.modify", (to) => ({ action: "replace", replaceCallID: to, destination: to })],
  ["modify hold with a number", "telnyx_rtc.modify", (to) => ({ action: "hold", destination: to, to })],
  ["verto modify", "verto.modify", (to) => ({ action: "transfer", destination: to })],
  ["attach", "telnyx_rtc.attach", (to) => ({ sdp: "v=0", destination_number: to })],
  ["originate", "jsapi", (to) => ({ command: "fsapi", data: { cmd: "originate", arg: `sofia/gateway/sandbox/${to} &park` } })],
  ["broadcast", "telnyx_rtc.broadcast", (to) => ({ eventChannel: "FSevent", data: { destination: to } })],
  ["subscribe", "telnyx_rtc.subscribe", (to) => ({ eventChannel: [to] })],
  ["info with a number", "telnyx_rtc.info", (to) => ({ dtmf: to.replace("+", ""), msg: { to, body: to } })],
  ["transfer as a method", "telnyx_rtc.transfer", (to) => ({ to, destination: to })],
  ["control command on the socket", "calls.actions.transfer", (to) => ({ to, time_limit_secs: 14_400 })],
];

const redirect: Trick[] = redirections.map(([name, method, params]) => ({
  kind: REDIRECT,
  name,
  async play(turn) {
    const { line, callID } = await turn.connect();
    const to = turn.unpaid();
    await line.ask(method, {
      sessid: line.client.sessid,
      callID,
      ...params(to),
      dialogParams: { ...line.client.dialog(callID), destination_number: to },
    });
  },
}));

const reinvites: Trick[] = [
  {
    kind: REDIRECT,
    name: "the same call invited again to another number",
    async play(turn) {
      const { line, callID, started } = await turn.connect();
      await line.invite(turn.unpaid(), { callID, clientState: base64(started.ticket) });
    },
  },
  {
    kind: REDIRECT,
    name: "invited again while it is parked",
    async play(turn) {
      const started = await turn.attacker.authorise(turn.paid());
      const line = await turn.attacker.line();
      const callID = randomUUID();
      const clientState = base64(started.ticket);
      await Promise.all([
        line.invite(started.call.destination_number, { callID, clientState }),
        line.invite(turn.unpaid(), { callID, clientState }),
      ]);
      await line.outcome(callID);
    },
  },
];

/** Identifiers of the victim's call that an accomplice in the same browser, or a leak, may reveal. */
async function victimsCall(turn: Turn) {
  const call = await turn.connect({ caller: turn.victim });
  const ids = { sessid: call.line.client.sessid ?? "", voiceSdkId: call.line.client.voiceSdkId ?? "" };
  const stillUp = () => turn.installation.sandbox.network.calls({ number: call.number }).some((one) => one.state === "answered");
  return { ...call, ids, stillUp };
}

const foreign: Trick[] = [
  {
    kind: FOREIGN,
    name: "his session on a socket of one's own",
    async play(turn) {
      const { ids, callID, stillUp, line } = await victimsCall(turn);
      line.client.drop();
      const taken = await turn.attacker.line(turn.random.pick([ids, { sessid: ids.sessid }, { voiceSdkId: ids.voiceSdkId }]));
      turn.check("a session of one's own", taken.client.sessid !== ids.sessid);
      const ready = taken.client.received.find((one) => one.method === "telnyx_rtc.clientReady");
      turn.check("his calls are not offered", JSON.stringify(ready?.params?.["reattached_sessions"] ?? []) === "[]");
      const offered = taken.client.received.some((one) => one.method === "telnyx_rtc.attach");
      turn.check("no sound of his", !offered);
      await taken.bye(callID);
      turn.check("his call goes on", stillUp());
    },
  },
  ...["bye", "modify", "attach", "info"].map((method): Trick => ({
    kind: FOREIGN,
    name: `${method} with his call's id`,
    async play(turn) {
      const { callID, ids, stillUp } = await victimsCall(turn);
      const line = await turn.attacker.line();
      const to = turn.unpaid();
      await line.ask(`telnyx_rtc.${method}`, {
        sessid: ids.sessid,
        callID,
        action: "updateMedia",
        sdp: line.offerSdp,
        dtmf: "1",
        destination: to,
        dialogParams: { callID, destination_number: to },
      });
      turn.check("his call goes on", stillUp());
    },
  })),
  {
    kind: FOREIGN,
    name: "his call over the API",
    async play(turn) {
      const { started, stillUp } = await victimsCall(turn);
      const path = `/api/calls/${started.call.id}`;
      const page = randomUUID();
      const requests: [string, string, unknown?][] = [
        ["GET", path],
        ["POST", `${path}/hangup`],
        ["POST", `${path}/hangup`, { ticket: base64(randomUUID()).slice(0, 43).padEnd(43, "A") }],
        ["POST", `${path}/extend`],
        ["POST", `${path}/leave`, { page }],
        ["PATCH", `${path}/control-id`, { telnyx_leg_id: randomUUID() }],
        ["PATCH", path, { status: "completed" }],
      ];
      for (const [method, where, body] of requests) {
        const { status } = await turn.attacker.api(method, where, body);
        turn.check(`${method} ${where.replace(started.call.id, ":id")} answered ${status}`, status >= 400 && status < 500);
      }
      turn.check("his call goes on", stillUp());
    },
  },
];

export const messageTricks: readonly Trick[] = [...redirect, ...reinvites, ...foreign];
