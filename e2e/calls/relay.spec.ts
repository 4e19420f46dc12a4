import { startCoturn, type Relay } from "@farline/voice/test/coturn.ts";
import { expect, test, type Page } from "@playwright/test";
import { expectToHear } from "../support/audio.ts";
import { CALLER_FLAGS, launchOptions } from "../support/browser.ts";
import { dial, giveTestCredit, signUp } from "../support/customer.ts";
import { MICROPHONE_HERTZ } from "../support/microphone.ts";
import { networkCall } from "../support/phone-network.ts";
import { removeData, startProduct, type Product } from "../support/product.ts";
import { TONE_LINE } from "../support/screens.ts";

const SECRET = "a secret that coturn and the service share";

// The relay's certificate is its own.
test.use({ launchOptions: launchOptions("--ignore-certificate-errors", ...CALLER_FLAGS) });

let relay: Relay;
let product: Product;

test.beforeAll(async () => {
  relay = await startCoturn(SECRET);
  const TURN_URLS = [relay.urls.udp, relay.urls.tcp, relay.urls.tls].join(" ");
  product = await startProduct({ env: { TURN_URLS, TURN_SECRET: SECRET } });
});
test.afterAll(async () => {
  await product.stop();
  removeData(product);
  await relay.stop();
});

/** A network that lets nothing out but what goes to this relay. Call it before the page is opened. */
async function closeNetwork(page: Page, relayUrl: string): Promise<void> {
  await page.addInitScript((url) => {
    const peers: RTCPeerConnection[] = [];
    window.RTCPeerConnection = class extends RTCPeerConnection {
      constructor({ iceServers = [], ...rest }: RTCConfiguration = {}) {
        const reached = iceServers.filter(({ urls }) => [urls].flat().includes(url));
        super({ ...rest, iceServers: reached, iceTransportPolicy: "relay" });
        peers.push(this);
      }
    };
    Object.assign(window, { peers });
  }, relayUrl);
}

/** The transport to the relay that the call's sound goes through, or "none". */
async function relayInUse(page: Page): Promise<string> {
  return page.evaluate(async () => {
    for (const peer of (window as unknown as { peers: RTCPeerConnection[] }).peers) {
      const stats = [...(await peer.getStats()).values()] as Record<string, unknown>[];
      const pair = stats.find((one) => one["type"] === "candidate-pair" && one["nominated"] && one["state"] === "succeeded");
      const local = stats.find((one) => one["id"] === pair?.["localCandidateId"]);
      if (local?.["candidateType"] === "relay") return String(local["relayProtocol"]);
    }
    return "none";
  });
}

const transports = [
  ["udp", ["@full"]],
  ["tcp", ["@full"]],
  ["tls", []],
] as const;

for (const [transport, tag] of transports) {
  test(`both sides of a call hear each other through a relay by ${transport} alone`, { tag: [...tag] }, async ({ page }) => {
    await closeNetwork(page, relay.urls[transport]);
    await signUp(page, product.url);
    await giveTestCredit(page, 5);
    await dial(page, TONE_LINE);
    await expect(page.getByText("Connected", { exact: true })).toBeVisible();
    await expectToHear(page, 1000);
    const heard = async () => (await networkCall(TONE_LINE, product.sandboxUrl))?.heard.frequencyHz ?? 0;
    await expect.poll(async () => Math.abs((await heard()) - MICROPHONE_HERTZ)).toBeLessThan(10);
    expect(await relayInUse(page)).toBe(transport);
    await page.getByRole("button", { name: "Hang Up" }).click();
  });
}
