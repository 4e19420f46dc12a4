import { PATIENCE_MS } from "@farline/domain/test/patience.ts";
import { becomes } from "@farline/drills/support/readiness.ts";
import type { Attack, AttackRun, ConnectedCall } from "./attack.ts";

const LONGER = "talk longer than paid";
const AFTER = "keep the far leg up after hanging up";
/** The time limit of calls in these attacks. */
const SECONDS = 2;

/** Waits until the phone network sees the call end. The exchange must end it on its own; the ledger tells if it was late. */
async function waitForEnd(run: AttackRun, { number }: ConnectedCall): Promise<void> {
  const isOver = () => run.installation.sandbox.network.calls({ number }).every((call) => call.state === "ended");
  run.check("the call is ended", await becomes(isOver, SECONDS * 1000 + PATIENCE_MS));
}

type Extension = (run: AttackRun, call: ConnectedCall) => Promise<void>;

const extensions: readonly [string, Extension][] = [
  ["by doing nothing", async () => undefined],
  [
    "by holding",
    async (_turn, { line, callID }) => {
      for (const action of ["hold", "unhold", "toggleHold", "toggleHold"])
        await line.request("telnyx_rtc.modify", { sessid: line.client.sessid, action, dialogParams: { callID } });
      await line.request("telnyx_rtc.modify", { sessid: line.client.sessid, action: "hold", dialogParams: { callID } });
    },
  ],
  [
    "by renegotiating the audio",
    async (_turn, { line, callID }) => {
      const params = { sessid: line.client.sessid, action: "updateMedia", sdp: line.offerSdp, dialogParams: { callID } };
      await line.request("telnyx_rtc.modify", params);
    },
  ],
  ["by cutting the socket", async (_turn, { line }) => line.client.drop()],
  [
    "by reconnecting on another socket",
    async (run, { line }) => {
      line.client.drop();
      await run.attacker.line({ sessid: line.client.sessid ?? "" });
    },
  ],
  [
    "by signing in again with a fresh token",
    async (run, { line }) => {
      await line.request("login", { login_token: await run.attacker.voiceToken(), sessid: line.client.sessid });
    },
  ],
  [
    "by asking to extend the call",
    async (run, { started }) => {
      const path = `/api/calls/${started.call.id}/extend`;
      await Promise.all(Array.from({ length: 8 }, () => run.attacker.api("POST", path)));
    },
  ],
  [
    "by changing the call's record",
    async (run, { started }) => {
      const path = `/api/calls/${started.call.id}`;
      const change = { status: "completed", max_seconds: 14_400, ended_at: new Date(0).toISOString(), duration_seconds: 1 };
      for (const method of ["PATCH", "PUT", "POST", "DELETE"]) await run.attacker.api(method, path, change);
      await run.attacker.api("PATCH", `${path}/control-id`, {
        telnyx_leg_id: "another",
        telnyx_session_id: "another",
        call_id: "another",
        ...change,
      });
    },
  ],
];

const beyondLimit: Attack[] = extensions.map(([name, extend]) => ({
  kind: LONGER,
  name,
  async execute(run) {
    const call = await run.connect({ seconds: SECONDS });
    await extend(run, call);
    await waitForEnd(run, call);
  },
}));

/** The far leg must end with the caller's leg, because nobody pays from then on. */
const afterEnd: Attack[] = [
  {
    kind: AFTER,
    name: "bye, then the socket is cut",
    async execute(run) {
      const call = await run.connect();
      await call.line.bye(call.callID);
      call.line.client.drop();
      await waitForEnd(run, call);
    },
  },
  {
    kind: AFTER,
    name: "bye, then the call is reattached",
    async execute(run) {
      const call = await run.connect();
      const { line, callID } = call;
      await line.bye(callID);
      line.client.drop();
      const again = await run.attacker.line({ sessid: line.client.sessid ?? "" });
      await again.request("telnyx_rtc.attach", { sdp: again.offerSdp, dialogParams: { callID } });
      await again.request("telnyx_rtc.modify", { action: "unhold", dialogParams: { callID } });
      await waitForEnd(run, call);
    },
  },
  {
    kind: AFTER,
    name: "hang-up over the API while extending",
    async execute(run) {
      const call = await run.connect();
      const path = `/api/calls/${call.started.call.id}`;
      const extend = () => run.attacker.api("POST", `${path}/extend`);
      await Promise.all([extend(), extend(), run.attacker.api("POST", `${path}/hangup`), extend(), extend()]);
      await waitForEnd(run, call);
    },
  },
  {
    kind: AFTER,
    name: "hang-up over the API while dialling",
    async execute(run) {
      const number = run.paid();
      const started = await run.attacker.authorise(number);
      const line = await run.attacker.line();
      const invite = line.invite(number, { clientState: Buffer.from(started.ticket).toString("base64") });
      await run.attacker.api("POST", `/api/calls/${started.call.id}/hangup`);
      await line.outcome(await invite);
      await run.attacker.api("POST", `/api/calls/${started.call.id}/hangup`);
      await waitForEnd(run, { line, callID: await invite, started, number });
    },
  },
];

export const timeAttacks: readonly Attack[] = [...beyondLimit, ...afterEnd];
