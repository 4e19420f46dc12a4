import { randomUUID } from "node:crypto";
import { base64 } from "./attacker.ts";
import type { Attack, AttackRun } from "./attack.ts";

const REDIRECT = "change the destination by a message";
const FOREIGN = "take over another caller's call";

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

const redirect: Attack[] = redirections.map(([name, method, params]) => ({
  kind: REDIRECT,
  name,
  async execute(run) {
    const { line, callID } = await run.connect();
    const to = run.unpaid();
    await line.request(method, {
      sessid: line.client.sessid,
      callID,
      ...params(to),
      dialogParams: { ...line.client.dialog(callID), destination_number: to },
    });
  },
}));

const reinvites: Attack[] = [
  {
    kind: REDIRECT,
    name: "the same call invited again to another number",
    async execute(run) {
      const { line, callID, started } = await run.connect();
      await line.invite(run.unpaid(), { callID, clientState: base64(started.ticket) });
    },
  },
  {
    kind: REDIRECT,
    name: "invited again while it is parked",
    async execute(run) {
      const started = await run.attacker.authorise(run.paid());
      const line = await run.attacker.line();
      const callID = randomUUID();
      const clientState = base64(started.ticket);
      await Promise.all([
        line.invite(started.call.destination_number, { callID, clientState }),
        line.invite(run.unpaid(), { callID, clientState }),
      ]);
      await line.outcome(callID);
    },
  },
];

/** Identifiers of the victim's call that somebody at the same browser, or a leak, may reveal. */
async function victimsCall(run: AttackRun) {
  const call = await run.connect({ caller: run.victim });
  const ids = { sessid: call.line.client.sessid ?? "", voiceSdkId: call.line.client.voiceSdkId ?? "" };
  const stillUp = () => run.installation.sandbox.network.calls({ number: call.number }).some((one) => one.state === "answered");
  return { ...call, ids, stillUp };
}

const foreign: Attack[] = [
  {
    kind: FOREIGN,
    name: "the victim's session on the attacker's socket",
    async execute(run) {
      const { ids, callID, stillUp, line } = await victimsCall(run);
      line.client.drop();
      const taken = await run.attacker.line(run.random.pick([ids, { sessid: ids.sessid }, { voiceSdkId: ids.voiceSdkId }]));
      run.check("the attacker gets a separate session", taken.client.sessid !== ids.sessid);
      const ready = taken.client.received.find((one) => one.method === "telnyx_rtc.clientReady");
      run.check("the victim's calls are not offered", JSON.stringify(ready?.params?.["reattached_sessions"] ?? []) === "[]");
      const offered = taken.client.received.some((one) => one.method === "telnyx_rtc.attach");
      run.check("the victim's audio is not offered", !offered);
      await taken.bye(callID);
      run.check("the victim's call continues", stillUp());
    },
  },
  ...["bye", "modify", "attach", "info"].map((method): Attack => ({
    kind: FOREIGN,
    name: `${method} with the id of the victim's call`,
    async execute(run) {
      const { callID, ids, stillUp } = await victimsCall(run);
      const line = await run.attacker.line();
      const to = run.unpaid();
      await line.request(`telnyx_rtc.${method}`, {
        sessid: ids.sessid,
        callID,
        action: "updateMedia",
        sdp: line.offerSdp,
        dtmf: "1",
        destination: to,
        dialogParams: { callID, destination_number: to },
      });
      run.check("the victim's call continues", stillUp());
    },
  })),
  {
    kind: FOREIGN,
    name: "the victim's call over the API",
    async execute(run) {
      const { started, stillUp } = await victimsCall(run);
      const path = `/api/calls/${started.call.id}`;
      const page = randomUUID();
      const requests: [string, string, unknown?][] = [
        ["GET", path],
        ["POST", `${path}/hangup`],
        ["POST", `${path}/hangup`, { ticket: base64(randomUUID()).slice(0, 43).padEnd(43, "A") }],
        ["POST", `${path}/extend`],
        ["POST", `${path}/stay`, { page }],
        ["POST", `${path}/leave`, { page }],
        ["PATCH", `${path}/control-id`, { telnyx_leg_id: randomUUID() }],
        ["PATCH", path, { status: "completed" }],
      ];
      for (const [method, where, body] of requests) {
        const { status } = await run.attacker.api(method, where, body);
        run.check(`${method} ${where.replace(started.call.id, ":id")} answered ${status}`, status >= 400 && status < 500);
      }
      run.check("the victim's call continues", stillUp());
    },
  },
];

export const messageAttacks: readonly Attack[] = [...redirect, ...reinvites, ...foreign];
