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
