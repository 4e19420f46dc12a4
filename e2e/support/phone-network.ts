/** The sandbox's line that answers and plays a tone. */
export const TONE_LINE = "+442079460001";
export const TONE_HERTZ = 1000;
/** The sandbox's line that answers and echoes: for tests that do not check the call's other side. */
export const ECHO_LINE = "+442079460000";
/** The sandbox's line that answers and echoes at once, without a greeting. */
export const PLAIN_ECHO_LINE = "+442079460002";

/** A call as the sandbox's phone network reports it (GET /phone-network/calls). */
export interface NetworkCall {
  id: string;
  number: string;
  /** The number shown to the called phone. */
  from: string;
  state: "setup" | "ringing" | "answered" | "ended";
  digits: string;
  heard: { frequencyHz: number | null; levelDb: number | null };
  rtp: { sent: number; received: number; lost: number };
  startedAt: string;
  answeredAt: string | null;
  endedAt: string | null;
}

/** The newest call to that number, or undefined. */
export async function networkCall(
  number: string,
  sandboxUrl = process.env["PRODUCT_SANDBOX_URL"] ?? "",
): Promise<NetworkCall | undefined> {
  const answer = await fetch(`${sandboxUrl}/phone-network/calls`);
  const { calls } = (await answer.json()) as { calls: NetworkCall[] };
  return calls.filter((call) => call.number === number).toSorted((a, b) => b.startedAt.localeCompare(a.startedAt))[0];
}
