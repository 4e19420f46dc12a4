import { afterEach, expect, test, vi } from "vitest";
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
    await vi.waitFor(() => expect(choice.devices).toMatchObject(found));
  }
});
