import { freePort } from "@farline/voice/test/free-port.ts";
import { startRtpengine } from "@farline/voice/test/rtpengine-process.ts";
import { expect, test } from "vitest";
import { checkRtpengines } from "./check-rtpengines.ts";

test("an rtpengine that answers is ok, one that does not is a fault", async () => {
  const engine = await startRtpengine({ first: 32_100, last: 32_199 });
  const nobody = { host: "127.0.0.1", port: await freePort(), weight: 1 };
  try {
    expect(await checkRtpengines({ rtpengines: [engine.ng, nobody] })).toEqual([
      { level: "ok", text: `rtpengine answers at 127.0.0.1:${engine.ng.port}.` },
      {
        level: "fault",
        text: `rtpengine at 127.0.0.1:${nobody.port} is not used: rtpengine did not answer ping in time.`,
      },
    ]);
  } finally {
    await engine.kill();
  }
});
