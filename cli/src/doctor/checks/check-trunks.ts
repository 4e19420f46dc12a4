import { randomBytes } from "node:crypto";
import { isIPv6 } from "node:net";
import { DigestClient } from "@farline/sip/digest/digest-client.ts";
import type { SipRequest, SipResponse } from "@farline/sip/message/message.ts";
import { writeHostPort } from "@farline/sip/message/uri.ts";
import { newVia } from "@farline/sip/message/via.ts";
import { Resolver } from "@farline/sip/transport/resolver.ts";
import { SipEndpoint } from "@farline/sip/transport/sip-endpoint.ts";
import type { Target } from "@farline/sip/transport/target.ts";
import type { ExchangeConfig } from "@farline/voice/config.ts";
import { accountAddress } from "@farline/voice/sip/caller-identity.ts";
import { nameAddress, newRequest, SDP_TYPE } from "@farline/voice/sip/trunk-requests.ts";
import { sipUri } from "@farline/voice/sip/trunk-uri.ts";
import { withService } from "@farline/voice/sip/transport/trunk-addresses.ts";
import { trunkDestination } from "@farline/voice/sip/trunk.ts";
import { fault, ok, reasonOf, warning, type Finding } from "../findings.ts";

/** The exchange tries the next trunk after the same time. */
const ANSWER_LIMIT_MS = 4_000;
const MAX_TRANSACTIONS = 200;
/** What a carrier answers to credentials that it does not take. */
const REFUSED_CREDENTIALS = [401, 403, 407];

type Exchange = Pick<ExchangeConfig, "trunks" | "rtpAddress">;
type Trunk = ExchangeConfig["trunks"][number];

/**
 * Whether each trunk's host resolves and answers OPTIONS (RFC 3261 §11) over the trunk's own transport, with its certificate checked. Any
 * answer shows that it is reachable; one that still demands credentials shows that they are wrong.
 */
export async function checkTrunks({ trunks, rtpAddress }: Exchange): Promise<Finding[]> {
  const endpoint = await SipEndpoint.open({
    address: rtpAddress.bound,
    port: 0,
    maxTransactions: MAX_TRANSACTIONS,
    user: {
      onRequest: () => undefined,
      onAck: () => undefined,
      onCancelled: () => undefined,
      onUnacknowledged: () => undefined,
    },
    events: {
      admits: () => true,
      malformed: () => undefined,
      connectionLost: () => undefined,
      problem: () => undefined,
    },
  });
  const resolver = new Resolver({ family: isIPv6(rtpAddress.bound) ? 6 : 4 });
  try {
    return await Promise.all(trunks.map((trunk) => checkTrunk(trunk, { endpoint, resolver, announced: rtpAddress.announced })));
  } finally {
    await endpoint.close();
  }
}

interface Tools {
  readonly endpoint: SipEndpoint;
  readonly resolver: Resolver;
  readonly announced: string;
}

async function checkTrunk(configured: Trunk, tools: Tools): Promise<Finding> {
  const trunk = withService(configured, await tools.resolver.chooseService(configured.host));
  const { name, host, port, username, password = "" } = trunk;
  const place = `${writeHostPort({ host, port })} over ${trunk.transport.toUpperCase()}`;
  let target: Target | undefined;
  try {
    [target] = await tools.resolver.resolve(trunkDestination(trunk));
  } catch (error) {
    return fault(`The host ${host} of trunk ${name} has no address: ${reasonOf(error)}`);
  }
  if (target === undefined) return fault(`The host ${host} of trunk ${name} has no address.`);
  target = { ...target, owner: { name, tls: trunk.tls ?? {} } };
  try {
    if (trunk.transport !== "udp") await tools.endpoint.transports.connect(target).ready;
  } catch (error) {
    return fault(`Trunk ${name} at ${place} cannot be connected: ${reasonOf(error)}`);
  }
  const account = username === undefined ? null : new DigestClient({ username, password }, () => randomBytes(12).toString("hex"));
  const attempt = account?.begin({ method: "OPTIONS", uri: uriOf(trunk) });
  let response = await askOptions({ trunk, target, headers: new Map() }, tools);
  if (response !== null && attempt?.next(response) === true)
    response = await askOptions({ trunk, target, headers: attempt.headers }, tools);
  if (response === null)
    return warning(
      `Trunk ${name} at ${place} did not answer OPTIONS within 4 seconds: some carriers ignore it, others are down.`,
    );
  if (account !== null && REFUSED_CREDENTIALS.includes(response.status))
    return fault(`Trunk ${name} at ${place} refuses its username and password (${response.status}).`);
  return ok(`Trunk ${name} answers at ${place} (${response.status}).`);
}

interface Question {
  readonly trunk: Trunk;
  readonly target: Target;
  readonly headers: SipRequest["headers"];
}

/** The final response, or null. */
function askOptions({ trunk, target, headers }: Question, { endpoint, announced }: Tools): Promise<SipResponse | null> {
  const [branch, tag, callId] = Array.from({ length: 3 }, () => randomBytes(8).toString("hex")) as [string, string, string];
  const port = endpoint.port("UDP") ?? null;
  const uri = uriOf(trunk);
  const request = newRequest({
    method: "OPTIONS",
    uri,
    via: newVia({ transport: target.transport, host: announced, port }, branch),
    from: nameAddress(accountAddress(trunk, "doctor"), tag),
    to: nameAddress(uri),
    callId: `${callId}@${announced}`,
    cseq: 1,
    headers: new Map([["contact", [`<${sipUri("doctor", announced, port)}>`]], ["accept", [SDP_TYPE]], ...headers]),
  });
  return new Promise((resolve) => {
    const timer = setTimeout(() => {
      endpoint.abandon(request);
      resolve(null);
    }, ANSWER_LIMIT_MS);
    const done = (response: SipResponse | null): void => {
      clearTimeout(timer);
      resolve(response);
    };
    endpoint.request(request, target, {
      onResponse: (response) => response.status >= 200 && done(response),
      onFailed: () => done(null),
    });
  });
}

function uriOf({ host, port }: Trunk): string {
  return sipUri("", host, port);
}
