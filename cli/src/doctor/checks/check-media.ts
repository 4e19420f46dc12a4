import { type TurnConfig, turnServers } from "@farline/server/calls/credentials/turn-servers.ts";
import type { ExchangeConfig } from "@farline/voice/config.ts";
import { NgClient } from "@farline/voice/media/rtpengine/ng-client.ts";
import { fault, type Finding, ok, reasonOf, warning } from "../findings.ts";
import { RelayAllocation, RelayRefusal } from "../turn-client.ts";

const CREDENTIAL_LIFE_MS = 60_000;
/** Peers that a relay must refuse: loopback, private networks, and the metadata service of clouds. */
const FORBIDDEN_PEERS = ["127.0.0.1", "10.0.0.1", "172.16.0.1", "192.168.0.1", "169.254.169.254"];

/**
 * Makes an allocation at each relay with a new credential, and tests which peers it permits.
 * @param exchangeAddress must be permitted; null if no exchange is configured here
 */
export async function checkRelays(turn: TurnConfig | null, exchangeAddress: string | null): Promise<Finding[]> {
  if (turn === null) return [warning("TURN_URLS is not set: callers whose network blocks UDP cannot call.")];
  const by = { name: "doctor", expiresAt: new Date(Date.now() + CREDENTIAL_LIFE_MS) };
  const found = await Promise.all(
    turnServers(turn, by).map((server) => checkRelay(String(server.urls), server, exchangeAddress)),
  );
  return found.flat();
}

async function checkRelay(
  url: string,
  credentials: { username?: string | undefined; credential?: string | undefined },
  exchangeAddress: string | null,
): Promise<Finding[]> {
  const { username = "", credential = "" } = credentials;
  let allocation: RelayAllocation;
  try {
    allocation = await RelayAllocation.open(url, { username, credential });
  } catch (error) {
    return [fault(allocationError(url, error))];
  }
  try {
    return await checkPeers(url, allocation, exchangeAddress);
  } finally {
    await allocation.close();
  }
}

function allocationError(url: string, error: unknown): string {
  if (!(error instanceof RelayRefusal)) return `The relay ${url} cannot be reached: ${reasonOf(error)}.`;
  if (error.code === 401)
    return `The relay ${url} refuses our password: TURN_SECRET is not its static-auth-secret, or its clock is wrong.`;
  return `The relay ${url} refused an allocation with ${error.code}.`;
}

async function checkPeers(url: string, allocation: RelayAllocation, exchangeAddress: string | null): Promise<Finding[]> {
  const findings = [ok(`The relay ${url} accepts a new password.`)];
  for (const peer of FORBIDDEN_PEERS.filter((one) => one !== exchangeAddress)) {
    if (await allocation.permits(peer))
      findings.push(
        fault(
          `The relay ${url} leads to ${peer}, into private networks: set denied-peer-ip as deploy/coturn/turnserver.conf does.`,
        ),
      );
  }
  if (exchangeAddress !== null && !(await allocation.permits(exchangeAddress)))
    findings.push(fault(`The relay ${url} does not lead to the exchange's address ${exchangeAddress}: set allowed-peer-ip.`));
  return findings;
}

type Engine = ExchangeConfig["rtpengines"][number];

/** Whether each instance of rtpengine answers a ping. The exchange does not use one that does not. */
export async function checkRtpengines({ rtpengines }: Pick<ExchangeConfig, "rtpengines">): Promise<Finding[]> {
  return Promise.all(rtpengines.map(checkEngine));
}

async function checkEngine({ host, port }: Engine): Promise<Finding> {
  try {
    const client = await NgClient.open({ host, port });
    try {
      await client.request("ping");
    } finally {
      client.close();
    }
    return ok(`rtpengine answers at ${host}:${port}.`);
  } catch (error) {
    return fault(`rtpengine at ${host}:${port} is not used: ${(error as Error).message}`);
  }
}
