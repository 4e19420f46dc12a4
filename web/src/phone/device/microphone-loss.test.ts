import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { memoryStorage } from "../../../test/memory-storage.ts";
import { PhoneError } from "../phone-error.ts";
import { microphoneProblem } from "../phone-state.ts";
import { emptyStorage } from "../../../test/scripted-tab.ts";
import { connected, createBench, dialled, ghana, type Bench } from "../../../test/scripted-line.ts";
import { stubAudio } from "../../../test/silent-audio.ts";
import { createLevelMeter } from "./level-meter.ts";

beforeEach(() => {
  vi.useFakeTimers();
  emptyStorage();
});
afterEach(() => {
  vi.useRealTimers();
  vi.unstubAllGlobals();
});

/** Fires a browser event on the microphone opened last. */
async function microphoneSays(bench: Bench, event: "ended" | "mute" | "unmute"): Promise<void> {
  bench.microphone.happens(event);
  await vi.advanceTimersByTimeAsync(0);
}

const shown = (bench: Bench) => bench.phone.state.call?.microphone;

test("a microphone that is unplugged in a call is replaced by another one", async () => {
  const bench = createBench();
  await connected(bench);
  await microphoneSays(bench, "ended");
  expect(shown(bench)).toBe("open");
  expect(bench.microphone.devices).toEqual([null, null]);
});

test("the level shown during a call is that of the microphone that took the place of another", async () => {
  const measured = stubAudio();
  const bench = createBench();
  await connected(bench);
  const meter = await bench.phone.openLevelMeter(createLevelMeter, () => undefined);
  meter.read();
  expect(measured).toHaveLength(1);
  await microphoneSays(bench, "ended");
  meter.read();
  meter.read();
  expect(measured).toHaveLength(2);
  expect(measured[1]).not.toBe(measured[0]);
  meter.close();
});

test("the loss of the only microphone is shown at once, and it is used again when it is back", async () => {
  const bench = createBench();
  await connected(bench);
  bench.microphone.refuse = new PhoneError("microphone_missing");
  await microphoneSays(bench, "ended");
  expect(shown(bench)).toBe("gone");
  bench.microphone.refuse = null;
  bench.wake();
  await vi.advanceTimersByTimeAsync(0);
  expect(shown(bench)).toBe("open");
});

test("a microphone that the system mutes is shown as muted until it is heard again", async () => {
  const bench = createBench();
  await connected(bench);
  await microphoneSays(bench, "mute");
  expect(shown(bench)).toBe("muted");
  await microphoneSays(bench, "unmute");
  expect(shown(bench)).toBe("open");
});

/** The browser interrupts the far end's sound, and it plays again. */
function interruptSound(bench: Bench): void {
  const element = Object.assign(new EventTarget(), { srcObject: {}, paused: true, play: async () => undefined });
  bench.sound?.watchElement(element as unknown as HTMLMediaElement);
  element.dispatchEvent(new Event("pause"));
  element.paused = false;
  element.dispatchEvent(new Event("playing"));
}

describe("a microphone that the system has muted", () => {
  beforeEach(() => void vi.stubGlobal("window", new EventTarget()));
  afterEach(() => vi.unstubAllGlobals());

  // aws/amazon-chime-sdk-js#3238, twilio/twilio-video.js#1206: iOS leaves it muted after a phone call.
  test("stays muted after a phone call, and is opened again when the sound is back", async () => {
    const bench = createBench();
    await connected(bench);
    await bench.phone.setMicrophone("usb");
    await microphoneSays(bench, "mute");
    interruptSound(bench);
    await vi.advanceTimersByTimeAsync(0);
    expect(shown(bench)).toBe("open");
    expect(bench.microphone.devices).toEqual([null, "usb", "usb"]);
    expect(bench.call().track).toMatchObject({ readyState: "live" });
  });

  test("is shown as muted while it cannot be opened again, and stays open", async () => {
    const bench = createBench();
    await connected(bench);
    await microphoneSays(bench, "mute");
    bench.microphone.refuse = new PhoneError("microphone_busy");
    interruptSound(bench);
    await vi.advanceTimersByTimeAsync(0);
    expect(shown(bench)).toBe("muted");
    await microphoneSays(bench, "unmute");
    expect(shown(bench)).toBe("open");
  });

  // aws/amazon-chime-sdk-js#2169: Safari's button in the address bar, which opening a microphone may undo.
  test("is not opened again by itself", async () => {
    const bench = createBench();
    await connected(bench);
    await microphoneSays(bench, "mute");
    bench.wake();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(shown(bench)).toBe("muted");
    expect(bench.microphone.devices).toHaveLength(1);
  });

  test("is opened again when the caller unmutes, and stays silent while they are muted", async () => {
    const bench = createBench();
    await connected(bench);
    await microphoneSays(bench, "mute");
    bench.phone.toggleMute();
    await vi.advanceTimersByTimeAsync(0);
    expect(bench.microphone.devices).toHaveLength(1);
    bench.phone.toggleMute();
    await vi.advanceTimersByTimeAsync(0);
    expect(shown(bench)).toBe("open");
    expect(bench.microphone.devices).toHaveLength(2);
  });
});

// ionorg/ion-sdk-js#233: Firefox opens one microphone at a time.
test("another microphone is opened after the old one is closed if the browser opens only one", async () => {
  const bench = createBench();
  await connected(bench);
  const { microphone } = bench;
  const busy = new PhoneError("microphone_busy", {
    cause: new DOMException("Concurrent mic process limit.", "NotReadableError"),
  });
  microphone.refuseWhile = (open) => (open > 0 ? busy : null);
  expect(await bench.phone.setMicrophone("usb")).toBe(true);
  expect(microphone.devices).toEqual([null, "usb"]);
  expect(shown(bench)).toBe("open");
});

test("a call whose microphone could not be changed gets one again", async () => {
  const bench = createBench();
  await connected(bench);
  bench.microphone.refuse = new PhoneError("microphone_busy", { cause: new DOMException("", "NotReadableError") });
  expect(await bench.phone.setMicrophone("usb")).toBe(false);
  await vi.advanceTimersByTimeAsync(0);
  expect(shown(bench)).toBe("gone");
  bench.microphone.refuse = null;
  bench.wake();
  await vi.advanceTimersByTimeAsync(0);
  expect(shown(bench)).toBe("open");
});

test("a microphone that is muted from the start, or unplugged while the call is set up, is shown before the answer", async () => {
  const bench = createBench();
  bench.microphone.opensMuted = true;
  await dialled(bench);
  expect(shown(bench)).toBe("muted");
  bench.phone.hangUp();
  await vi.advanceTimersByTimeAsync(2000);
  bench.microphone.opensMuted = false;
  let allow = (): void => undefined;
  bench.service.initiateWaits = new Promise((resolve) => (allow = resolve));
  bench.phone.dial(ghana);
  await vi.advanceTimersByTimeAsync(0);
  bench.microphone.refuse = new PhoneError("microphone_missing");
  bench.microphone.happens("ended");
  allow();
  await vi.advanceTimersByTimeAsync(0);
  expect(shown(bench)).toBe("gone");
});

test("a microphone allowed again during a call is opened at once", async () => {
  const bench = createBench();
  await connected(bench);
  bench.microphone.refuse = new PhoneError("microphone_denied");
  bench.microphone.permit("denied");
  await microphoneSays(bench, "ended");
  expect(shown(bench)).toBe("gone");
  bench.microphone.refuse = null;
  bench.microphone.permit("granted");
  await vi.advanceTimersByTimeAsync(0);
  expect(shown(bench)).toBe("open");
});

test("a refusal is cleared as soon as the user allows the microphone in the browser", async () => {
  const bench = createBench();
  bench.microphone.permit("denied");
  expect(microphoneProblem(bench.phone.state)).toBe("microphone_denied");
  bench.microphone.refuse = new PhoneError("microphone_denied");
  await dialled(bench);
  expect(bench.phone.state.error?.code).toBe("microphone_denied");
  bench.microphone.permit("prompt");
  expect(bench.phone.state.error).toBeNull();
  expect(microphoneProblem(bench.phone.state)).toBeNull();
});

/** A machine with a headset, which was chosen before and is plugged in and out with the returned function. */
function withHeadset(kind: "audioinput" | "audiooutput"): (isThere: boolean) => Promise<void> {
  let plugged = true;
  let onChange = (): void => undefined;
  vi.stubGlobal("localStorage", memoryStorage());
  localStorage.setItem(kind === "audioinput" ? "farline-microphone" : "farline-speaker", "usb");
  vi.stubGlobal("navigator", {
    mediaDevices: {
      enumerateDevices: async () => [
        { kind, deviceId: "default", label: "Default" },
        ...(plugged ? [{ kind, deviceId: "usb", label: "USB headset" }] : []),
      ],
      addEventListener: (_: string, listener: () => void) => (onChange = listener),
    },
  });
  return async (isThere) => {
    plugged = isThere;
    onChange();
    await vi.advanceTimersByTimeAsync(0);
  };
}

describe("a chosen microphone that is unplugged in a call and comes back", () => {
  afterEach(() => vi.unstubAllGlobals());

  test("is used again, as the list of devices says", async () => {
    const plug = withHeadset("audioinput");
    const bench = createBench();
    await connected(bench);
    await microphoneSays(bench, "ended");
    await plug(false);
    expect(bench.phone.state.devices.microphoneId).toBeNull();
    await plug(true);
    expect(bench.phone.state.devices.microphoneId).toBe("usb");
    expect(bench.microphone.devices).toEqual(["usb", null, "usb"]);
    expect(shown(bench)).toBe("open");
    expect(bench.call().track).toMatchObject({ readyState: "live" });
  });

  test("is opened at once if there was no other, and stays silent while the caller is muted", async () => {
    const plug = withHeadset("audioinput");
    const bench = createBench();
    await connected(bench);
    bench.phone.toggleMute();
    bench.microphone.refuse = new PhoneError("microphone_missing");
    await microphoneSays(bench, "ended");
    await plug(false);
    expect(shown(bench)).toBe("gone");
    bench.microphone.refuse = null;
    await plug(true);
    expect(bench.microphone.devices).toEqual(["usb", "usb"]);
    expect(shown(bench)).toBe("open");
    expect(bench.call().muted).toBe(true);
  });

  test("is opened once if the caller chose it", async () => {
    withHeadset("audioinput");
    const bench = createBench();
    await connected(bench);
    await bench.phone.setMicrophone(null);
    await bench.phone.setMicrophone("usb");
    await vi.advanceTimersByTimeAsync(0);
    expect(bench.microphone.devices).toEqual(["usb", null, "usb"]);
  });
});

test("a chosen speaker is used once it is listed, dropped when unplugged, and used again when back", async () => {
  vi.stubGlobal(
    "HTMLMediaElement",
    class {
      setSinkId(): undefined {
        return undefined;
      }
    },
  );
  const plug = withHeadset("audiooutput");
  const bench = createBench();
  await bench.phone.prepare();
  await plug(false);
  await plug(true);
  expect(bench.speakers).toEqual(["usb", null, "usb"]);
  vi.unstubAllGlobals();
});
