import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { startCoturn, type Relay } from "@farline/voice/test/network/coturn.ts";
import { expect, type Page } from "@playwright/test";
import { test } from "../support/test.ts";
import { expectBothWays } from "../support/audio.ts";
import { CALLER_FLAGS, launchOptions } from "../support/browser.ts";
import { dial, giveTestCredit, signUp, talkTo } from "../support/customer.ts";
import { networkCall, TONE_LINE } from "../support/phone-network.ts";
import { removeData, startProduct, type Product } from "../support/product.ts";
import { poll } from "../support/poll.ts";

const MAIN = fileURLToPath(new URL("../../cli/src/main.ts", import.meta.url));
/** Rings if it is dialled; no other test here calls it. */
const UNRUNG_LINE = "+442079460408";
const SECRET = "a secret that coturn and the service share";

// The relay's certificate is its own.
test.use({ launchOptions: launchOptions("--ignore-certificate-errors", ...CALLER_FLAGS) });

let relay: Relay;
let product: Product;

const turnSettings = () => ({ TURN_URLS: [relay.urls.udp, relay.urls.tcp, relay.urls.tls].join(" "), TURN_SECRET: SECRET });

test.beforeAll(async () => {
  relay = await startCoturn(SECRET);
  product = await startProduct({ env: turnSettings() });
});
test.afterAll(async () => {
  await product.stop();
  removeData(product);
  await relay.stop();
});

/** Blocks all media traffic except to this relay. Call it before the page is opened. */
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

/** The transport to the relay that carries the call's sound, or "none". */
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
  test(`both sides of a call hear each other through a relay over ${transport} alone`, { tag: [...tag] }, async ({ page }) => {
    await closeNetwork(page, relay.urls[transport]);
    await signUp(page, product.url);
    await giveTestCredit(page, 5);
    await talkTo(page, TONE_LINE);
    await expectBothWays(page, product.sandboxUrl);
    // A pair is nominated moments after its first sound.
    await poll(() => relayInUse(page)).toBe(transport);
    await page.getByRole("button", { name: "Hang Up" }).click();
  });
}

test("the sound check shows that a relay can be reached, and over which transport", async ({ page }) => {
  await closeNetwork(page, relay.urls.tls);
  await signUp(page, product.url);
  await giveTestCredit(page, 5);
  await page.getByRole("button", { name: "Sound check" }).click();
  await expect(page.getByText("A relay is ready for networks that block direct calls (TLS).")).toBeVisible();
});

test("the test call shows the path of its sound", { tag: "@full" }, async ({ page }) => {
  await closeNetwork(page, relay.urls.tls);
  await signUp(page, product.url);
  await page.getByRole("button", { name: "Sound check" }).click();
  await page.getByRole("button", { name: "Start the test call" }).click();
  await expect(page.getByText("Relay (TLS)")).toBeVisible();
});

test("the test call says what to do in a network that blocks all media", { tag: "@full" }, async ({ page }) => {
  await closeNetwork(page, "nothing");
  await signUp(page, product.url);
  await page.getByRole("button", { name: "Sound check" }).click();
  await page.getByRole("button", { name: "Start the test call" }).click();
  await expect(page.getByRole("alert")).toHaveText("This network blocks calls. Try another network, for example mobile data.", {
    timeout: 45_000,
  });
});

test("a caller whose network blocks all media rings nobody, pays nothing and is told why", { tag: "@full" }, async ({ page }) => {
  await closeNetwork(page, "nothing");
  await signUp(page, product.url);
  await giveTestCredit(page, 5);
  await dial(page, UNRUNG_LINE);
  const words = page.getByText("so we did not ring the phone. Nothing was charged. Try another network");
  await expect(words.first()).toBeVisible();
  await expect(page.getByText("Connected", { exact: true })).toBeHidden();
  expect(await networkCall(UNRUNG_LINE, product.sandboxUrl)).toBeUndefined();
});

test("the doctor finds no fault in a running installation with relays", async () => {
  const env = {
    ...process.env,
    ...turnSettings(),
    ...{ PORT: new URL(product.url).port, DATA_DIR: product.dataDir, NODE_OPTIONS: "", NODE_EXTRA_CA_CERTS: relay.certificate },
  };
  const { stdout } = await promisify(execFile)(process.execPath, [MAIN, "doctor"], { env });
  for (const sentence of [
    "ok       The settings of the exchange are valid.",
    "ok       The exchange runs and accepts browsers",
    `ok       The relay ${relay.urls.tls} accepts a new password.`,
    "ok       Trunk sandbox answers",
  ])
    expect(stdout).toContain(sentence);
  expect(stdout).not.toMatch(/^fault/m);
});
