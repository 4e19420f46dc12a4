import type { ExchangeConfig } from "@farline/voice/config.ts";
import { tcpFree, udpFree } from "../../start/free-ports.ts";
import { fault, ok, warning, type Finding } from "../finding.ts";

const ANSWER_LIMIT_MS = 3_000;

type Exchange = Pick<ExchangeConfig, "host" | "port" | "controlHost" | "controlPort" | "rtpAddress" | "sipPort" | "apiKeys">;

/** Whether our own exchange holds its ports, or could bind them. */
export async function checkExchangePorts(exchange: Exchange): Promise<Finding[]> {
  const { controlHost, controlPort, host, port, apiKeys } = exchange;
  const status = await statusOf(`http://${controlHost}:${controlPort}/healthz`, { authorization: `Bearer ${apiKeys[0]}` });
  if (status === null) return checkFree(exchange);
  if (status !== 200)
    return [
      fault(`The program at the command port ${controlPort} is not an exchange with this installation's key (status ${status}).`),
    ];
  const own = host === "0.0.0.0" ? "127.0.0.1" : host;
  const ready = await statusOf(`http://${own}:${port}/readyz`);
  if (ready === 200) return [ok(`The exchange runs and accepts browsers at port ${port}.`)];
  if (ready === 503) return [warning("The exchange is draining: it accepts no new browsers.")];
  return [fault(`The exchange runs, but its port ${port} for browsers does not answer.`)];
}

async function checkFree({ host, port, controlHost, controlPort, rtpAddress, sipPort }: Exchange): Promise<Finding[]> {
  const wanted = [
    { name: `TCP port ${port} for browsers`, free: await tcpFree(port, host) },
    { name: `TCP port ${controlPort} for commands`, free: await tcpFree(controlPort, controlHost) },
    { name: `UDP port ${sipPort} for SIP`, free: await udpFree(sipPort, rtpAddress.bound) },
  ];
  const taken = wanted
    .filter(({ free }) => !free)
    .map(({ name }) => fault(`The exchange does not run, and cannot bind ${name}.`));
  return taken.length > 0 ? taken : [warning("The exchange does not run; its ports are free.")];
}

async function statusOf(url: string, headers: Record<string, string> = {}): Promise<number | null> {
  try {
    const answer = await fetch(url, { headers, signal: AbortSignal.timeout(ANSWER_LIMIT_MS) });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    return null;
  }
}
