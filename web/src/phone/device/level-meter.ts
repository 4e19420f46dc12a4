import { loudness } from "../echo/echo-test.ts";

/** The loudness of a stream. */
export interface LevelMeter {
  /** For drawing: the current waveform and spectrum. */
  readonly analyser: AnalyserNode;
  /** Loudness of the last 40 ms, 0 to 1; speech near a microphone is about 0.3 to 0.8. Call it once per frame. */
  read(): number;
  close(): void;
}

/** About 40 ms at 48 kHz. */
const WINDOW_SAMPLES = 2048;

export type CreateLevelMeter = typeof createLevelMeter;

/**
 * Measures a stream without playing it, once `watch` lets the context run.
 * @param stream the present one: a call's microphone may be replaced
 * @param onClose called once, after the meter is closed
 */
export function createLevelMeter(
  stream: () => MediaStream,
  watch: (context: AudioContext) => void,
  onClose: () => void = () => undefined,
): LevelMeter {
  const context = new AudioContext();
  watch(context);
  const analyser = new AnalyserNode(context, { fftSize: WINDOW_SAMPLES, smoothingTimeConstant: 0.6 });
  let source = sourceOf(stream());
  const wave = new Float32Array(analyser.fftSize);
  let closed = false;

  function sourceOf(measured: MediaStream): MediaStreamAudioSourceNode {
    const made = context.createMediaStreamSource(measured);
    made.connect(analyser);
    return made;
  }

  return {
    analyser,
    read() {
      if (closed) return 0;
      if (source.mediaStream !== stream()) {
        source.disconnect();
        source = sourceOf(stream());
      }
      analyser.getFloatTimeDomainData(wave);
      return loudness(wave);
    },
    close() {
      if (closed) return;
      closed = true;
      source.disconnect();
      // A context that is already closed rejects, which is fine.
      context.close().catch(() => undefined);
      onClose();
    },
  };
}
