import type { Trick, Turn, ConnectedCall } from "./trick.ts";
import { until } from "./until.ts";

const LONGER = "talk longer than paid";
const AFTER = "keep the far side after hanging up";
/** The time limit of calls in these tricks. */
const SECONDS = 2;
/** The exchange cuts at the limit; a call that is still up this much later has got through. */
const GRACE_MS = 6_000;

/** Waits until the phone network sees the call end, which the exchange must cause by itself. */
async function waitForEnd(turn: Turn, { number }: ConnectedCall): Promise<void> {
  const isOver = () => turn.installation.sandbox.network.calls({ number }).every((call) => call.state === "ended");
  turn.check("the call is cut", await until(isOver, SECONDS * 1000 + GRACE_MS));
}

type Stay = (turn: Turn, call: ConnectedCall) => Promise<void>;

const stays: readonly [string, Stay][] = [
  ["by doing nothing", async () => undefined],
  [
    "by holding",
    async (_turn, { line, callID }) => {
      for (const action of ["hold", "unhold", "toggleHold", "toggleHold"])
        await line.ask("telnyx_rtc.modify", { sessid: line.client.sessid, action, dialogParams: { callID } });
      await line.ask("telnyx_rtc.modify", { sessid: line.client.sessid, action: "hold", dialogParams: { callID } });
    },
  ],
  [
    "by a new way for the sound",
    async (_turn, { line, callID }) => {
      const params = { sessid: line.client.sessid, action: "updateMedia", sdp: line.offerSdp, dialogParams: { callID } };
      await line.ask("telnyx_rtc.modify", params);
    },
  ],
  ["by cutting the socket", async (_turn, { line }) => line.client.drop()],
  [
    "by coming back on another socket",
    async (turn, { line }) => {
      line.client.drop();
      await turn.attacker.line({ sessid: line.client.sessid ?? "" });
    },
  ],
  [
    "by signing in again with a fresh token",
    async (turn, { line }) => {
      await line.ask("login", { login_token: await turn.attacker.voiceToken(), sessid: line.client.sessid });
    },
  ],
  [
    "by asking to extend",
    async (turn, { started }) => {
      const path = `/api/calls/${started.call.id}/extend`;
      await Promise.all(Array.from({ length: 8 }, () => turn.attacker.api("POST", path)));
    },
  ],
  [
    "by changing the call's record",
    async (turn, { started }) => {
      const path = `/api/calls/${started.call.id}`;
      const wish = { status: "completed", max_seconds: 14_400, ended_at: new Date(0).toISOString(), duration_seconds: 1 };
      for (const method of ["PATCH", "PUT", "POST", "DELETE"]) await turn.attacker.api(method, path, wish);
      await turn.attacker.api("PATCH", `${path}/control-id`, {
        telnyx_leg_id: "another",
        telnyx_session_id: "another",
        call_id: "another",
        ...wish,
      });
    },
  ],
];

const beyondLimit: Trick[] = stays.map(([name, stay]) => ({
  kind: LONGER,
  name,
  async play(turn) {
    const call = await turn.connect({ seconds: SECONDS });
    await stay(turn, call);
    await waitForEnd(turn, call);
  },
}));

/** The far side must end with the caller's side, because nobody pays from then on. */
const afterEnd: Trick[] = [
  {
    kind: AFTER,
    name: "bye, and then the socket is cut",
    async play(turn) {
      const call = await turn.connect();
      await call.line.bye(call.callID);
      call.line.client.drop();
      await waitForEnd(turn, call);
    },
  },
  {
    kind: AFTER,
    name: "bye, and then the call is taken up again",
    async play(turn) {
      const call = await turn.connect();
      const { line, callID } = call;
      await line.bye(callID);
      line.client.drop();
      const again = await turn.attacker.line({ sessid: line.client.sessid ?? "" });
      await again.ask("telnyx_rtc.attach", { sdp: again.offerSdp, dialogParams: { callID } });
      await again.ask("telnyx_rtc.modify", { action: "unhold", dialogParams: { callID } });
      await waitForEnd(turn, call);
    },
  },
  {
    kind: AFTER,
    name: "hang-up over the API while extending",
    async play(turn) {
      const call = await turn.connect();
      const path = `/api/calls/${call.started.call.id}`;
      const extend = () => turn.attacker.api("POST", `${path}/extend`);
      await Promise.all([extend(), extend(), turn.attacker.api("POST", `${path}/hangup`), extend(), extend()]);
      await waitForEnd(turn, call);
    },
  },
  {
    kind: AFTER,
    name: "hang-up over the API while dialling",
    async play(turn) {
      const number = turn.paid();
      const started = await turn.attacker.authorise(number);
      const line = await turn.attacker.line();
      const invite = line.invite(number, { clientState: Buffer.from(started.ticket).toString("base64") });
      await turn.attacker.api("POST", `/api/calls/${started.call.id}/hangup`);
      await line.outcome(await invite);
      await turn.attacker.api("POST", `/api/calls/${started.call.id}/hangup`);
      await waitForEnd(turn, { line, callID: await invite, started, number });
    },
  },
];

export const timeTricks: readonly Trick[] = [...beyondLimit, ...afterEnd];
