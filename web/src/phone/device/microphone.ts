import { PhoneError } from "../phone-error.ts";

/** Sound clean-up for a phone call; one channel, because the telephone network carries one. */
export const microphoneConstraints: MediaTrackConstraints = {
  echoCancellation: true,
  noiseSuppression: true,
  autoGainControl: true,
  channelCount: 1,
};

/** @param deviceId the microphone of choice, or null for the system's. One that is not there any more is passed over. */
export type OpenMicrophone = (deviceId: string | null) => Promise<MediaStream>;

/**
 * Asks for the microphone, which may show the browser's question.
 * Rejects with `microphone_denied`, `microphone_missing` or `microphone_busy`.
 */
export const openMicrophone: OpenMicrophone = async (deviceId) => {
  // Absent on pages without https: the browser then has no microphone to give.
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

/** Names are those of the Media Capture and Streams specification, §10.2 getUserMedia. */
function microphoneProblem(error: unknown): "microphone_denied" | "microphone_missing" | "microphone_busy" {
  const name = error instanceof Error || error instanceof DOMException ? error.name : "";
  if (name === "NotFoundError" || name === "OverconstrainedError") return "microphone_missing";
  if (name === "NotReadableError" || name === "AbortError") return "microphone_busy";
  return "microphone_denied";
}

export type MicrophonePermission = "granted" | "denied" | "prompt" | "unknown";

/** What the browser would answer if it were asked for the microphone now; `unknown` where it does not tell. */
export async function microphonePermission(): Promise<MicrophonePermission> {
  try {
    return (await navigator.permissions.query({ name: "microphone" })).state;
  } catch {
    // Some browsers do not know the question; the microphone itself can still be asked for.
    return "unknown";
  }
}

export function closeMicrophone(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}
