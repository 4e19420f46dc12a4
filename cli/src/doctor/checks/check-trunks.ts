import type { ExchangeConfig } from "@farline/voice/config.ts";
import { randomBytes } from "node:crypto";
import { createSocket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { once } from "node:events";
import { fault, ok, reasonOf, warning, type Finding } from "../finding.ts";

/** The exchange tries the next trunk after the same time. */
const ANSWER_LIMIT_MS = 4_000;
/** RFC 3261 §17.1.2.2, timer E. */
const RETRANSMIT_MS = 500;

type Exchange = Pick<ExchangeConfig, "trunks" | "rtpAddress">;
type Trunk = ExchangeConfig["trunks"][number];

/** Whether each trunk's host resolves and answers OPTIONS (RFC 3261 §11). Any answer shows that it is reachable. */
export async function checkTrunks({ trunks, rtpAddress }: Exchange): Promise<Finding[]> {
  return Promise.all(trunks.map((trunk) => checkTrunk(trunk, rtpAddress)));
}

async function checkTrunk({ name, host, port }: Trunk, rtp: Exchange["rtpAddress"]): Promise<Finding> {
  let address: string;
  try {
    ({ address } = await lookup(host, { family: 4 }));
  } catch (error) {
    return fault(`The host ${host} of trunk ${name} has no address: ${reasonOf(error)}.`);
  }
  try {
    const status = await askOptions({ address, port, host }, rtp);
    return ok(`Trunk ${name} answers at ${host}:${port} (${status}).`);
  } catch (error) {
    const why = (error as Error).name === "AbortError" ? "no answer within 4 seconds" : reasonOf(error);
    return warning(`Trunk ${name} at ${host}:${port} did not answer OPTIONS (${why}): some carriers ignore it, others are down.`);
  }
}

async function askOptions(to: { address: string; port: number; host: string }, rtp: Exchange["rtpAddress"]): Promise<string> {
  const socket = createSocket("udp4");
  socket.bind(0, rtp.bound);
  const signal = AbortSignal.timeout(ANSWER_LIMIT_MS);
  let again: NodeJS.Timeout | undefined;
  try {
    await once(socket, "listening", { signal });
    const request = optionsRequest(to, { host: rtp.announced, port: socket.address().port });
    const answered = once(socket, "message", { signal }) as Promise<[Buffer]>;
    socket.send(request, to.port, to.address);
    again = setInterval(() => socket.send(request, to.port, to.address), RETRANSMIT_MS);
    const [answer] = await answered;
    const status = /^SIP\/2\.0 (\d{3})/.exec(answer.toString("latin1"))?.[1];
    if (status === undefined) throw new Error("answered with something other than SIP");
    return status;
  } finally {
    clearInterval(again);
    socket.close();
  }
}

function optionsRequest(to: { host: string; port: number }, from: { host: string; port: number }): string {
  const [branch, tag, callId] = [randomBytes(8), randomBytes(8), randomBytes(8)].map((bytes) => bytes.toString("hex"));
  const uri = `sip:${to.host}:${to.port}`;
  return [
    `OPTIONS ${uri} SIP/2.0`,
    `Via: SIP/2.0/UDP ${from.host}:${from.port};branch=z9hG4bK${branch};rport`,
    "Max-Forwards: 70",
    `From: <sip:doctor@${from.host}>;tag=${tag}`,
    `To: <${uri}>`,
    `Call-ID: ${callId}@${from.host}`,
    "CSeq: 1 OPTIONS",
    `Contact: <sip:doctor@${from.host}:${from.port}>`,
    "Accept: application/sdp",
    "Content-Length: 0",
    "\r\n",
  ].join("\r\n");
}
