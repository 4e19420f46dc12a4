import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { onTestFinished, expect, test } from "vitest";
import { refuseStrangerOnLoopback } from "./free-ports.ts";
import { readAddresses } from "./settings.ts";

async function listenOn(host: string): Promise<number> {
  const stranger = createServer().listen(0, host);
  onTestFinished(() => void stranger.close());
  await once(stranger, "listening");
  return (stranger.address() as AddressInfo).port;
}

test("another program on the port at ::1 is refused where browsers would reach it by localhost", async () => {
  const port = String(await listenOn("::1"));
  await expect(refuseStrangerOnLoopback(readAddresses({ PORT: port }))).rejects.toThrow(`port ${port} of ::1`);
  await expect(refuseStrangerOnLoopback(readAddresses({ VOICE_PORT: port }))).rejects.toThrow("set PORT");
  await refuseStrangerOnLoopback(readAddresses({ PORT: port, PUBLIC_URL: "https://farline.example" }));
  await refuseStrangerOnLoopback(readAddresses({ PORT: String(await listenOn("127.0.0.1")) }));
});
