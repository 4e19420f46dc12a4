import { createSocket } from "node:dgram";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readRtp } from "@farline/voice/media/rtp/rtp-header.ts";
import { type SocketCarrier, replyTo, startSocketCarrier } from "@farline/voice/test/socket-carrier.ts";
import { expect } from "@playwright/test";
import { test } from "../support/test.ts";
import { expectSilence, expectToHear } from "../support/audio.ts";
import { booksOf, completedCall } from "../support/books.ts";
import { dial, giveTestCredit, signUp } from "../support/customer.ts";
import { MICROPHONE_HERTZ } from "../support/tone.ts";
import { databaseUrlOf, removeData, startProduct, type Product } from "../support/product.ts";
import { ECHO_LINE } from "../support/phone-network.ts";
import { poll } from "../support/poll.ts";

const RINGBACK_HERTZ = [440, 480];
const OPUS = { name: "Opus", audio: 100, events: 102, map: "opus/48000/2", eventMap: "telephone-event/48000" };
const PCMU = { name: "PCMU", audio: 0, events: 101, map: "PCMU/8000", eventMap: "telephone-event/8000" };

/** The called phone: sends back what it hears, in one codec. */
const phone = createSocket("udp4");
let codec = OPUS;
const digits = new Set<number>();
let answer: () => void = () => undefined;
let carrier: SocketCarrier;
let product: Product;
let folder: string;

test.beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "farline-opus-"));
  phone.on("message", (datagram, from) => {
    const packet = readRtp(datagram);
    if (packet?.payloadType === codec.events) digits.add(packet.payload[0] as number);
    if (packet?.payloadType === codec.audio) phone.send(datagram, from.port, from.address);
  });
  await new Promise<void>((resolve) => phone.bind(0, "127.0.0.1", resolve));
  carrier = await startSocketCarrier("udp", (message, send) => {
    if (message.startsWith("INVITE ")) {
      send(replyTo(message, "180 Ringing"));
      answer = () => send(replyTo(message, "200 OK", { headers: ["Contact: <sip:carrier@127.0.0.1>"], sdp: phoneSdp() }));
    } else if (!/^(SIP|ACK)/.test(message)) send(replyTo(message, "200 OK"));
  });
  const trunks = join(folder, "trunks.json");
  writeFileSync(trunks, JSON.stringify([{ name: "opus", host: "127.0.0.1", port: carrier.port, opus: true }]));
  product = await startProduct({ env: { SIP_TRUNKS: trunks } });
});
test.afterAll(async () => {
  await product.stop();
  removeData(product);
  await carrier.close();
  phone.close();
  rmSync(folder, { recursive: true });
});

function phoneSdp(): string {
  const { audio, events, map, eventMap } = codec;
  return [
    ...["v=0", "o=phone 1 1 IN IP4 127.0.0.1", "s=-", "c=IN IP4 127.0.0.1", "t=0 0"],
    ...[`m=audio ${phone.address().port} RTP/AVP ${audio} ${events}`, `a=rtpmap:${audio} ${map}`],
    ...[`a=rtpmap:${events} ${eventMap}`, "a=sendrecv", ""],
  ].join("\r\n");
}

for (const answered of [OPUS, PCMU])
  test(`a call that an Opus trunk answers in ${answered.name} is heard, holds, sends digits and survives a reload`, async ({
    page,
  }) => {
    codec = answered;
    digits.clear();
    const email = await signUp(page, product.url);
    await giveTestCredit(page, 5);
    await dial(page, ECHO_LINE);
    await expect(page.getByText("Ringing...")).toBeVisible();
    await expectToHear(page, ...RINGBACK_HERTZ);
    answer();
    await expect(page.getByText("Connected", { exact: true })).toBeVisible();
    await expectToHear(page, MICROPHONE_HERTZ);

    await page.getByRole("button", { name: "Keypad" }).click();
    await page.getByRole("button", { name: /^7/ }).click();
    await poll(() => [...digits]).toEqual([7]);

    await page.getByRole("button", { name: "Hold" }).click();
    await expectSilence(page);
    await page.getByRole("button", { name: "Hold" }).click();
    await expectToHear(page, MICROPHONE_HERTZ);

    await page.reload();
    await expect(page.getByText("Connected", { exact: true })).toBeVisible();
    await expectToHear(page, MICROPHONE_HERTZ);

    await page.getByRole("button", { name: "Hang Up" }).click();
    const database = databaseUrlOf(product);
    const record = await completedCall(email, database);
    expect(record.recorded).toBe(record.recomputed);
    expect(await booksOf(email, database)).toMatchObject({ held: 0n, sum: 0n });
  });
