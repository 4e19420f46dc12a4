import { Cleanups } from "@farline/sip/test/cleanups.ts";
import { createSocket } from "node:dgram";
import { setImmediate } from "node:timers/promises";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { audioOf, bridge, converse, FAR_HZ, openLeg, openPlane, play, speak, SPEECH_HZ } from "../../test/media-harness.ts";
import { openSecondPath } from "../../test/network/second-path.ts";
import { openAnsweringBrowser, openTestBrowser } from "../../test/test-browser.ts";
import { share, toneFrames } from "../../test/tone.ts";
import type { ProcessMediaPlane } from "./create-media-plane.ts";
import type { HeardChange } from "./media-plane.ts";

let plane: ProcessMediaPlane;
const cleanups = new Cleanups();

beforeAll(async () => {
  plane = await openPlane();
});
afterAll(() => plane.close());
afterEach(() => cleanups.end());

describe("a leg", () => {
  it("is refused with a clear error for every mutilated offer, and never crashes", async () => {
    const browser = await openTestBrowser();
    cleanups.add(() => browser.close());
    const lines = browser.offerSdp.split("\r\n");
    const mutilated = [
      ...lines.map((_, i) => lines.filter((_line, j) => j !== i).join("\r\n")),
      ...lines.map((line, i) => lines.map((other, j) => (i === j ? line.slice(0, line.length / 2) : other)).join("\r\n")),
      browser.offerSdp.replace("m=audio 9", "m=audio 0").replace(/ 0\r\n/, " 111\r\n"),
      browser.offerSdp.replaceAll("PCMU", "opus"),
    ];
    for (const offer of mutilated) {
      const result = await plane.openLeg(offer).then(
        (leg) => leg.close().then(() => "answered"),
        (error: { code: string }) => error.code,
      );
      expect(["answered", "bad_sdp"]).toContain(result);
    }
    expect(plane.stats()).toMatchObject([{ restarts: 0 }]);
    await openLeg(plane, cleanups);
  });

  it("answers with only the configured address, DTLS passive, ICE-lite and PCMU", async () => {
    const browser = await openTestBrowser();
    cleanups.add(() => browser.close());
    const offer = browser.offerSdp.replace(
      /(a=ice-ufrag)/,
      "a=candidate:1 1 udp 1 6b9c.local 5000 typ host\r\na=candidate:2 1 tcp 1 10.0.0.9 9 typ host tcptype active\r\n$1",
    );
    const leg = await plane.openLeg(offer);
    cleanups.add(() => leg.close());
    const candidates = leg.answerSdp.split("\r\n").filter((line) => line.startsWith("a=candidate"));
    expect(candidates).toHaveLength(1);
    expect(candidates[0]).toMatch(/ udp \d+ 127\.0\.0\.1 \d+ typ host/);
    expect(leg.answerSdp).toContain("a=setup:passive");
    expect(leg.answerSdp.split("m=audio")[0]).toContain("a=ice-lite");
    expect(leg.answerSdp).toMatch(/^m=audio 9 UDP\/TLS\/RTP\/SAVPF 0\r$/m);
    await browser.connect(leg.answerSdp);
  });

  it("survives junk on its ports while audio continues", async () => {
    const { browser, leg, trunk } = await bridge(plane, cleanups);
    const webrtcPort = Number(/ 127\.0\.0\.1 (\d+) typ host/.exec(leg.answerSdp)?.[1]);
    const rtpPort = Number(/^m=audio (\d+)/m.exec((await leg.openRtp()).sdp)?.[1]);
    const attacker = createSocket("udp4");
    cleanups.add(() => new Promise<void>((resolve) => attacker.close(() => resolve())));
    for (let i = 0; i < 600; i += 1) {
      const first = [0, 1, 20, 21, 22, 128, 144, 200][i % 8] as number;
      const junk = Buffer.from([first, ...Array.from({ length: i % 97 }, (_, j) => (i * 31 + j * 17) % 256)]);
      for (const port of [webrtcPort, rtpPort, rtpPort + 1]) attacker.send(junk, port, "127.0.0.1");
      await setImmediate();
    }
    attacker.send(Buffer.from([21, 254, 253, 0, 0, 0, 0, 0, 0, 0, 9, 0, 2, 1, 0]), webrtcPort, "127.0.0.1"); // forged DTLS close_notify
    await speak(browser, toneFrames(SPEECH_HZ, 1)); // the system may have dropped some packets together with the junk
    await trunk.untilHeard(20);
    expect(share(audioOf(trunk.heard), SPEECH_HZ)).toBeGreaterThan(0.9);
    expect(plane.stats()).toMatchObject([{ restarts: 0 }]);
  });

  it("follows a signed nomination to another address, and no other check", async () => {
    const { leg, trunk } = await bridge(plane, cleanups);
    const elsewhere = openSecondPath(leg.answerSdp);
    cleanups.add(() => elsewhere.close());
    elsewhere.nominate("guessed");
    await leg.stats();
    await play(trunk, toneFrames(FAR_HZ, 0.2));
    await leg.stats();
    expect(elsewhere.arrived).toEqual([]);
    elsewhere.nominate();
    await expect.poll(() => elsewhere.arrived.length).toBeGreaterThan(0); // the response to the check
    await play(trunk, toneFrames(FAR_HZ, 0.2));
    await elsewhere.media;
  });

  it("accepts audio from a browser with two networks on the path that it did not nominate last", async () => {
    const { browser, leg, trunk } = await bridge(plane, cleanups);
    const other = openSecondPath(leg.answerSdp);
    cleanups.add(() => other.close());
    other.nominate();
    await expect.poll(() => other.arrived.length).toBeGreaterThan(0);
    trunk.clear();
    await speak(browser, toneFrames(SPEECH_HZ, 0.2));
    await trunk.untilHeard(10);
    expect(share(audioOf(trunk.heard), SPEECH_HZ)).toBeGreaterThan(0.9);
  });

  it("moves to a new transport of the browser in both directions, and ignores the close of the old one", async () => {
    const { browser, leg, trunk } = await bridge(plane, cleanups);
    await speak(browser, toneFrames(SPEECH_HZ, 0.1));
    await trunk.untilHeard(5);
    const reported: HeardChange[] = [];
    leg.onHeardChange((change) => reported.push(change));
    await browser.close(); // like a page reload
    await expect.poll(() => leg.isHeard()).toBe(false);

    const again = await openAnsweringBrowser((await leg.reofferMedia()).offerSdp);
    cleanups.add(() => again.close());
    await leg.acceptAnswer(again.answerSdp);
    await again.connected;
    trunk.clear();
    await speak(again, toneFrames(SPEECH_HZ, 0.2));
    await trunk.untilHeard(10);
    expect(share(audioOf(trunk.heard), SPEECH_HZ)).toBeGreaterThan(0.9);
    await play(trunk, toneFrames(FAR_HZ, 0.2));
    await again.untilHeard(8);
    expect(share(audioOf(again.heard), FAR_HZ)).toBeGreaterThan(0.9);
    expect(reported.filter(({ heard }) => !heard)).toEqual([]);
    await expect(leg.acceptAnswer(again.answerSdp)).rejects.toMatchObject({ code: "no_offer" });
  });
});

describe("a plane with one media process", () => {
  it("reports that a browser has fallen silent, keeps its leg, and reports when it is heard again", async () => {
    const own = await openPlane({ silenceMs: 300 });
    cleanups.add(() => own.close());
    const { leg, browser } = await openLeg(own, cleanups);
    const reported: HeardChange[] = [];
    leg.onHeardChange((change) => reported.push(change));
    await expect.poll(() => reported.length).toBe(1);
    expect(reported[0]).toMatchObject({ heard: false });
    await expect.poll(() => leg.isHeard()).toBe(false);
    await expect
      .poll(async () => {
        await speak(browser, toneFrames(SPEECH_HZ, 0.02));
        return reported.length;
      })
      .toBe(2);
    expect(reported[1]).toEqual({ heard: true, hasSpoken: true });
    expect(await leg.isHeard()).toBe(true);
  });

  it("reports a connected browser at once, and separately its first audio", async () => {
    const own = await openPlane();
    cleanups.add(() => own.close());
    const browser = await openTestBrowser();
    cleanups.add(() => browser.close());
    const leg = await own.openLeg(browser.offerSdp);
    const reported: HeardChange[] = [];
    leg.onHeardChange((change) => reported.push(change));
    await browser.connect(leg.answerSdp);
    await expect.poll(() => reported).toEqual([{ heard: true, hasSpoken: false }]);
    await speak(browser, toneFrames(SPEECH_HZ, 0.02));
    await expect.poll(() => reported.slice(1)).toEqual([{ heard: true, hasSpoken: true }]);
  });

  it("mutes the far end for a silent browser until it is heard again", async () => {
    const own = await openPlane({ silenceMs: 300 });
    cleanups.add(() => own.close());
    const { leg, browser, trunk } = await bridge(own, cleanups);
    const reported: HeardChange[] = [];
    leg.onHeardChange((change) => reported.push(change));
    await expect.poll(() => reported.length).toBe(1);
    await expect.poll(() => leg.isHeard()).toBe(false);
    browser.clear();
    await play(trunk, toneFrames(FAR_HZ, 0.2));
    await leg.stats();
    expect(browser.heard).toEqual([]);
    // In turns: a far end's packet sent right behind the browser's first may be read before it.
    await converse({ browser, trunk }, 0.3);
    await browser.untilHeard(5);
  });

  it("ends its legs when its process dies, and recovers", async () => {
    const own = await openPlane();
    cleanups.add(() => own.close());
    const { leg } = await openLeg(own, cleanups);
    const ended = new Promise<void>((resolve) => leg.onEnded(resolve));
    const processId = own.stats()[0]?.processId;
    process.kill(processId as number, "SIGKILL");
    await ended;
    await expect(own.openLeg("v=0")).rejects.toMatchObject({ code: "unavailable" });
    await expect.poll(() => own.stats()[0]?.processId).not.toBeNull();
    await openLeg(own, cleanups);
    expect(own.stats()).toMatchObject([{ restarts: 1 }]);
  });

  it("replaces a process that lives and does not answer, and says how it is without waiting for it", async () => {
    const own = await openPlane();
    cleanups.add(() => own.close());
    const { leg } = await openLeg(own, cleanups);
    const ended = new Promise<void>((resolve) => leg.onEnded(resolve));
    const [before] = own.stats();
    process.kill(before?.processId as number, "SIGSTOP");
    expect(own.health()).toMatchObject([{ up: true, process_id: before?.processId, died_at: null }]);
    await ended;
    expect(own.health()).toMatchObject([{ up: false, process_id: null, died_at: expect.any(String) as string }]);
    await expect.poll(() => own.stats()[0]?.processId).not.toBeNull();
    await openLeg(own, cleanups);
    expect(own.stats()).toMatchObject([{ restarts: 1 }]);
  });

  it("uses only its configured ports, and refuses legs beyond its limit", async () => {
    const own = await openPlane({
      webrtcPorts: { first: 41_000, last: 41_199 },
      rtpPorts: { first: 41_200, last: 41_399 },
      maxLegs: 2,
    });
    cleanups.add(() => own.close());
    const legs = [await openLeg(own, cleanups), await openLeg(own, cleanups)];
    for (const { leg } of legs) {
      const port = Number(/ 127\.0\.0\.1 (\d+) typ host/.exec(leg.answerSdp)?.[1]);
      expect(port).toBeGreaterThanOrEqual(41_000);
      expect(port).toBeLessThanOrEqual(41_199);
      const rtpPort = Number(/^m=audio (\d+)/m.exec((await leg.openRtp()).sdp)?.[1]);
      expect(rtpPort % 2).toBe(0);
      expect(rtpPort).toBeGreaterThanOrEqual(41_200);
      expect(rtpPort).toBeLessThanOrEqual(41_398);
    }
    await expect(openLeg(own, cleanups)).rejects.toMatchObject({ code: "no_capacity" });
  });

  it("opens a leg's RTP port once, and retries after a failure", async () => {
    const own = await openPlane({ rtpPorts: { first: 41_500, last: 41_501 } });
    cleanups.add(() => own.close());
    const [first, second] = [await openLeg(own, cleanups), await openLeg(own, cleanups)];
    const opened = await first.leg.openRtp();
    // The same object: a second request to the process would return another.
    expect(await first.leg.openRtp()).toBe(opened);
    await expect(second.leg.openRtp()).rejects.toMatchObject({ code: "no_capacity" });
    await first.leg.close();
    expect(await second.leg.openRtp()).toMatchObject({ sdp: expect.stringMatching(/^m=audio 41500 /m) });
  });

  it("refuses legs while its process is full", async () => {
    const own = await openPlane({ fullAt: { legs: 1, busy: 0, waitMs: 0 } });
    cleanups.add(() => own.close());
    await openLeg(own, cleanups);
    await expect(openLeg(own, cleanups)).rejects.toMatchObject({ code: "no_capacity" });
  });
});

describe("a plane with several media processes", () => {
  it("distributes legs, and a killed process ends only its own", async () => {
    const own = await openPlane({ processes: 2, maxLegs: 2, webrtcPorts: { first: 41_400, last: 41_499 } });
    cleanups.add(() => own.close());
    const legs = [await openLeg(own, cleanups), await openLeg(own, cleanups), await openLeg(own, cleanups)];
    const ended: number[] = [];
    legs.forEach(({ leg }, i) => leg.onEnded(() => ended.push(i)));
    const [first, second] = own.stats();
    expect(Math.abs((first?.legs ?? 0) - (second?.legs ?? 0))).toBe(1);
    process.kill(first?.processId as number, "SIGKILL");
    await expect.poll(() => ended).toEqual(first?.legs === 2 ? [0, 2] : [1]);
    const survivor = legs[ended.includes(1) ? 0 : 1];
    expect(await survivor?.leg.stats()).toMatchObject({ toFar: { packets: 0 } });
    await openLeg(own, cleanups);
  });

  it("tries one process after another until one has capacity", async () => {
    const own = await openPlane({ processes: 2, maxLegs: 1 });
    cleanups.add(() => own.close());
    await openLeg(own, cleanups);
    await openLeg(own, cleanups);
    await expect(openLeg(own, cleanups)).rejects.toMatchObject({ code: "no_capacity" });
    await expect(own.openLeg("nonsense")).rejects.toMatchObject({ code: "no_capacity" });
  });
});
