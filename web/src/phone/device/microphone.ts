import { settleWithin } from "@farline/domain/settle-within.ts";
import { PhoneError } from "../phone-error.ts";

/** Audio processing for a phone call. One channel, because the telephone network is mono. */
export const microphoneConstraints: MediaTrackConstraints = {
  echoCancellation: true,
  noiseSuppression: true,
  autoGainControl: true,
  channelCount: 1,
};

/** @param deviceId the chosen microphone, or null for the system's; ignored if the device is gone */
export type OpenMicrophone = (deviceId: string | null) => Promise<MediaStream>;

/**
 * Opens the microphone, which may show the browser's permission prompt.
 * Rejects with `microphone_denied`, `microphone_missing` or `microphone_busy`.
 */
export const openMicrophone: OpenMicrophone = async (deviceId) => {
  // Missing on pages without https: the browser then offers no microphone.
  if (!navigator.mediaDevices?.getUserMedia) throw new PhoneError("microphone_denied");
  const open = (device: MediaTrackConstraints): Promise<MediaStream> =>
    navigator.mediaDevices.getUserMedia({ audio: { ...microphoneConstraints, ...device } });
  try {
    if (deviceId === null) return await open({});
    return await open({ deviceId: { exact: deviceId } }).catch((error: unknown) => {
      if (microphoneProblem(error) !== "microphone_missing") throw error;
      return open({});
    });
  } catch (error) {
    throw new PhoneError(microphoneProblem(error), { cause: error });
  }
};

/** Error names from the Media Capture and Streams specification, §10.2 getUserMedia. */
function microphoneProblem(error: unknown): "microphone_denied" | "microphone_missing" | "microphone_busy" {
  const name = error instanceof Error || error instanceof DOMException ? error.name : "";
  if (name === "NotFoundError" || name === "OverconstrainedError") return "microphone_missing";
  if (name === "NotReadableError" || name === "AbortError") return "microphone_busy";
  return "microphone_denied";
}

/** How long an allowed microphone may take. A headset that changes its mode over Bluetooth takes 3 to 8 s. */
const OPENS_WITHIN_MS = 12_000;
/** How long the browser's question may wait for its answer. Some in-app browsers never ask it. */
const ASKS_WITHIN_MS = 60_000;

/** Gives up on a microphone that does not open in time, and closes it if it opens later. */
export function openInTime(open: OpenMicrophone, permission: () => MicrophonePermission): OpenMicrophone {
  return (deviceId) => {
    const opening = open(deviceId);
    const isAllowed = permission() === "granted";
    return settleWithin(opening, isAllowed ? OPENS_WITHIN_MS : ASKS_WITHIN_MS, () => {
      opening.then(closeMicrophone).catch(() => undefined);
      return Promise.reject(new PhoneError(isAllowed ? "microphone_busy" : "microphone_denied"));
    });
  };
}

export type MicrophonePermission = "granted" | "denied" | "prompt" | "unknown";

/** Reports the permission now and whenever the user changes it; `unknown` if the browser does not report it. */
export type WatchMicrophonePermission = (tell: (permission: MicrophonePermission) => void) => void;

export const watchMicrophonePermission: WatchMicrophonePermission = (tell) => {
  navigator.permissions
    ?.query({ name: "microphone" })
    .then((status) => {
      status.addEventListener("change", () => tell(status.state));
      return tell(status.state);
    })
    // Some browsers do not support this query; the microphone itself can still be requested.
    .catch(() => undefined);
};

export function closeMicrophone(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}
