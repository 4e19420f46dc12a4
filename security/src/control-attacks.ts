import { becomes } from "@farline/drills/support/readiness.ts";
import { createSocket } from "node:dgram";
import { generateKeyPairSync, randomBytes, randomUUID } from "node:crypto";
import { signatureHeaders } from "@farline/voice/control/webhook-signature.ts";
import { base64 } from "./attacker.ts";
import { rawHttp, spellings } from "./raw-http.ts";
import type { Attack, AttackRun } from "./attack.ts";

const CONTROL = "command the exchange without its key";
const STOLEN_KEY = "command the exchange with its stolen key";
const EVENTS = "forge an event of the voice provider";
const WIRE = "send signalling and audio straight to the ports";
const SIP_TIMEOUT_MS = 1_000;

type Keys = readonly [string, (run: AttackRun) => Promise<Record<string, string>>];
const keys: readonly Keys[] = [
  ["no key", async () => ({})],
  ["empty key", async () => ({ authorization: "Bearer " })],
  ["made-up key", async () => ({ authorization: `Bearer KEY${randomBytes(24).toString("hex")}` })],
  ["customer's token", async (run) => run.attacker.bearer],
  ["voice token", async (run) => ({ authorization: `Bearer ${await run.attacker.voiceToken()}` })],
];

/** Commands that the service itself would send, for the attacker's own parked leg. */
function commands(controlId: string, callId: string, to: string): [string, string, unknown?][] {
  const leg = `/v2/calls/${encodeURIComponent(controlId)}`;
  const dial = { to, from: "+19005550100", time_limit_secs: 14_400, command_id: `xfer-${callId}` };
  return [
    ["GET", "/v2/balance"],
    ["GET", leg],
    ["POST", `${leg}/actions/transfer`, dial],
    ["POST", `${leg}/actions/extend`, { time_limit_secs: 14_400 }],
    ["POST", `${leg}/actions/answer`, {}],
    ["POST", `${leg}/actions/echo`, {}],
    ["PUT", `${leg}/actions/client_state_update`, { client_state: base64("mine") }],
    ["POST", "/v2/telephony_credentials", { connection_id: "1" }],
  ];
}

const controlWithoutKey: Attack[] = keys.map(([name, headersOf]) => ({
  kind: CONTROL,
  name,
  async execute(run) {
    const { installation, attacker } = run;
    const started = await attacker.authorise(run.paid());
    const line = await attacker.line();
    const callID = await line.invite(started.call.destination_number, { clientState: base64(started.ticket) });
    const controlId = await line.controlId(callID);
    const headers = await headersOf(run);
    const { voicePort, voiceControlPort, port, sandboxPort } = installation.addresses;
    for (const [method, path, body] of commands(controlId, started.call.id, run.unpaid()))
      for (const spelled of spellings(path))
        await Promise.all(
          [voicePort, voiceControlPort, port, sandboxPort].map(async (where) => {
            const answer = await rawHttp(where, spelled, { method, headers, body });
            // The service and the sandbox serve a page for any URL; what matters is that neither executes a command.
            const obeyed = answer.status >= 200 && answer.status < 300 && !answer.text.startsWith("<!");
            run.check(`${method} ${spelled} at ${where - port} above PORT answered ${answer.status}`, !obeyed);
          }),
        );
  },
}));

/** Keeps the service from using the ticket until the returned function is called, so that the attacker's command comes first. */
async function delayService(run: AttackRun, callId: string): Promise<() => Promise<void>> {
  const client = await run.installation.database.handle.pool.connect();
  await client.query("begin");
  await client.query("select from call where id = $1 for update", [callId]);
  return async () => {
    await client.query("rollback");
    client.release();
  };
}

/**
 * The exchange's key is stolen, and commands sent with it race the service's own for a leg with a valid ticket. Even so, only
 * the number that the leg requested may ring.
 */
const stolenKeyAttacks: Attack[] = ["xfer-", "transfer-"].map((prefix) => ({
  kind: STOLEN_KEY,
  name: `the real key, command id ${prefix}…`,
  async execute(run) {
    const { installation, attacker } = run;
    const headers = { authorization: `Bearer ${installation.secrets.telnyxApiKey}` };
    const started = await attacker.authorise(run.paid());
    const line = await attacker.line();
    const callID = randomUUID();
    const release = await delayService(run, started.call.id);
    const invite = line.invite(started.call.destination_number, { callID, clientState: base64(started.ticket) });
    const path = `/v2/calls/${encodeURIComponent(await line.controlId(callID))}/actions/transfer`;
    const body = { to: run.unpaid(), from: "+19005550100", time_limit_secs: 14_400, command_id: prefix + started.call.id };
    const answer = await rawHttp(installation.addresses.voiceControlPort, path, { method: "POST", headers, body });
    await release();
    run.check(`transfer to another number answered ${answer.status}`, answer.status >= 400);
    await line.outcome(await invite);
  },
}));

/** Events that would end the charge of a running call, or start one for another number. */
function eventsOf(ids: Record<string, string>, to: string): unknown[] {
  const event = (type: string, more: Record<string, unknown>) => ({
    data: {
      record_type: "event",
      event_type: type,
      id: randomUUID(),
      occurred_at: new Date().toISOString(),
      payload: { ...ids, to, from: "+12025550143", direction: "outgoing", ...more },
    },
  });
  return [
    event("call.initiated", { state: "parked" }),
    event("call.answered", {}),
    event("call.hangup", { hangup_cause: "normal_clearing", hangup_source: "callee" }),
  ];
}

const forgedEvents: Attack = {
  kind: EVENTS,
  name: "about a running call",
  async execute(run) {
    const { line, callID, started } = await run.connect();
    const controlId = await line.controlId(callID);
    const otherKey = generateKeyPairSync("ed25519").privateKey;
    const ids = { call_control_id: controlId, client_state: base64(started.ticket) };
    for (const event of eventsOf(ids, run.unpaid())) {
      const body = JSON.stringify(event);
      const old = new Date(Date.now() - 3_600_000);
      const signatures: [string, Record<string, string>][] = [
        ["none", {}],
        ["rubbish", { "telnyx-timestamp": String(Math.floor(Date.now() / 1000)), "telnyx-signature-ed25519": base64("no") }],
        ["by another key", signatureHeaders(otherKey, body, new Date())],
        ["by another key, old", signatureHeaders(otherKey, body, old)],
      ];
      for (const [name, headers] of signatures)
        for (const path of spellings("/api/webhooks/telnyx")) {
          const { status } = await run.attacker.api("POST", path, body, headers);
          run.check(`POST ${path} with signature ${name} answered ${status}`, status >= 400);
        }
    }
  },
};

const SDP = "v=0\r\no=- 1 1 IN IP4 127.0.0.1\r\ns=-\r\nc=IN IP4 127.0.0.1\r\nt=0 0\r\nm=audio 9000 RTP/AVP 0\r\n";

function sipInvite(to: string, host: string, port: number): string {
  return [
    `INVITE sip:${to}@${host}:${port} SIP/2.0`,
    `Via: SIP/2.0/UDP 127.0.0.1:9;branch=z9hG4bK${randomBytes(8).toString("hex")};rport`,
    "Max-Forwards: 70",
    `From: <sip:+12025550143@127.0.0.1>;tag=${randomBytes(4).toString("hex")}`,
    `To: <sip:${to}@${host}>`,
    `Call-ID: ${randomUUID()}`,
    "CSeq: 1 INVITE",
    "Contact: <sip:eve@127.0.0.1:9>",
    "Content-Type: application/sdp",
    `Content-Length: ${SDP.length}`,
    "",
    SDP,
  ].join("\r\n");
}

/** Sends datagrams and returns the responses. */
async function sendDatagrams(port: number, datagrams: readonly (string | Buffer)[]): Promise<string[]> {
  const socket = createSocket("udp4");
  const heard: string[] = [];
  socket.on("message", (datagram) => heard.push(datagram.toString("latin1")));
  socket.on("error", () => undefined); // nothing listens on that port
  for (const datagram of datagrams) socket.send(datagram, port, "127.0.0.1");
  await becomes(() => heard.some((text) => /^SIP\/2\.0 [2-6]/.test(text)), SIP_TIMEOUT_MS);
  socket.close();
  return heard;
}

const wireAttacks: Attack[] = [
  ...(["exchangeSipPort", "sandboxSipPort"] as const).map((name): Attack => ({
    kind: WIRE,
    name: `INVITE to ${name}`,
    async execute(run) {
      const port = run.installation.addresses[name];
      const heard = await sendDatagrams(port, [sipInvite(run.unpaid(), "127.0.0.1", port)]);
      run.check("the INVITE is not accepted", !heard.some((text) => text.startsWith("SIP/2.0 2")));
    },
  })),
  {
    kind: WIRE,
    name: "forged answers and hang-ups to the trunk port",
    async execute(run) {
      const { number } = await run.connect();
      const { exchangeSipPort } = run.installation.addresses;
      const forged = ["BYE", "INVITE", "REFER", "UPDATE"].map((method) =>
        sipInvite(run.unpaid(), "127.0.0.1", exchangeSipPort)
          .replace(/^INVITE/, method)
          .replace("1 INVITE", `1 ${method}`)
          .replace("Contact:", `Refer-To: <sip:${run.unpaid()}@127.0.0.1>\r\nContact:`),
      );
      const heard = await sendDatagrams(exchangeSipPort, forged);
      run.check("no request is accepted", !heard.some((text) => text.startsWith("SIP/2.0 2")));
      const isUp = run.installation.sandbox.network.calls({ number }).some((call) => call.state === "answered");
      run.check("the call continues", isUp);
    },
  },
  {
    kind: WIRE,
    name: "random bytes and audio to the signalling ports",
    async execute(run) {
      const { exchangeSipPort, sandboxSipPort } = run.installation.addresses;
      const datagrams = Array.from({ length: 50 }, () => Buffer.concat([Buffer.from([0x80, 0]), randomBytes(170)]));
      for (const port of [exchangeSipPort, sandboxSipPort]) {
        const heard = await sendDatagrams(port, datagrams);
        run.check("nothing is answered", heard.length === 0);
      }
    },
  },
];

export const controlAttacks: readonly Attack[] = [...controlWithoutKey, ...stolenKeyAttacks, forgedEvents, ...wireAttacks];
