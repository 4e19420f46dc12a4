import { afterEach, expect, test, vi } from "vitest";
import { memoryStorage } from "../../../test/memory-storage.ts";
import { type AudioDevices, DeviceChoice } from "./audio-devices.ts";

afterEach(() => vi.unstubAllGlobals());

test("the names of devices are read when the first microphone opens, and not again for each call", async () => {
  let label = "";
  const enumerateDevices = vi.fn(async () => [{ kind: "audioinput", deviceId: "usb", label }]);
  vi.stubGlobal("navigator", { mediaDevices: { enumerateDevices, addEventListener: () => undefined } });
  const told: AudioDevices[] = [];
  const choice = new DeviceChoice((devices) => told.push(devices));
  await choice.refresh();
  label = "USB headset";
  await choice.readNames();
  expect(told.map(({ microphones }) => microphones)).toEqual([[{ id: "usb", label: "" }], [{ id: "usb", label: "USB headset" }]]);
  await choice.readNames();
  expect(enumerateDevices).toHaveBeenCalledTimes(2);
});

// livekit/client-sdk-js#1635 and #1527, WebKit/WebKit#70428: Safari has `setSinkId`, which does nothing or harm in a call.
test.each([
  ["offered where the browser can choose it", {}, true],
  ["not offered in Safari, nor used if it was chosen before", { GestureEvent: Event }, false],
])("a speaker is %s", async (_, globals, isOffered) => {
  vi.stubGlobal(
    "HTMLMediaElement",
    class extends EventTarget {
      setSinkId(): undefined {
        return undefined;
      }
    },
  );
  for (const [name, value] of Object.entries(globals)) vi.stubGlobal(name, value);
  vi.stubGlobal("localStorage", memoryStorage());
  localStorage.setItem("farline-speaker", "usb");
  const enumerateDevices = async () => [{ kind: "audiooutput", deviceId: "usb", label: "USB" }];
  vi.stubGlobal("navigator", { mediaDevices: { enumerateDevices, addEventListener: () => undefined } });
  const choice = new DeviceChoice(() => undefined);
  await choice.refresh();
  expect(choice.devices).toMatchObject({ canChooseSpeaker: isOffered, speakerId: isOffered ? "usb" : null });
});

test("a missing microphone is reported before access is granted, and a speaker counts as lost only if one was listed", async () => {
  let kinds: string[] = ["audioinput"];
  const enumerateDevices = async () => kinds.map((kind) => ({ kind, deviceId: "", label: "" }));
  let onChange = (): void => undefined;
  const addEventListener = (_: string, listener: () => void) => (onChange = listener);
  vi.stubGlobal("navigator", { mediaDevices: { enumerateDevices, addEventListener } });
  const choice = new DeviceChoice(() => undefined);
  await choice.refresh();
  expect(choice.devices).toMatchObject({ hasMicrophone: true, hasSpeaker: true });
  for (const [now, found] of [
    [["audiooutput"], { hasMicrophone: false, hasSpeaker: true }],
    [[], { hasMicrophone: false, hasSpeaker: false }],
    [["audioinput", "audiooutput"], { hasMicrophone: true, hasSpeaker: true }],
  ] as const) {
    kinds = [...now];
    onChange();
    await expect.poll(() => choice.devices).toMatchObject(found);
  }
});
