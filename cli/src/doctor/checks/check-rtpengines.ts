import type { ExchangeConfig } from "@farline/voice/config.ts";
import { NgClient } from "@farline/voice/media/rtpengine/ng-client.ts";
import { fault, ok, type Finding } from "../finding.ts";

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
