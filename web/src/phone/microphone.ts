import { PhoneError } from "./phone-error.ts";

/** Sound clean-up for a phone call; one channel, because the telephone network carries one. */
export const microphoneConstraints: MediaTrackConstraints = {
  echoCancellation: true,
  noiseSuppression: true,
  autoGainControl: true,
  channelCount: 1,
};

export type OpenMicrophone = () => Promise<MediaStream>;

/**
 * Asks for the microphone, which may show the browser's question.
 * Rejects with `microphone_denied`, `microphone_missing` or `microphone_busy`.
 */
export const openMicrophone: OpenMicrophone = async () => {
  // Absent on pages without https: the browser then has no microphone to give.
  if (!navigator.mediaDevices?.getUserMedia) throw new PhoneError("microphone_denied");
  try {
    return await navigator.mediaDevices.getUserMedia({ audio: microphoneConstraints });
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

export function closeMicrophone(stream: MediaStream): void {
  for (const track of stream.getTracks()) track.stop();
}
