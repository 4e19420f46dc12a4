/** North American ringback (ITU-T E.180 supplement 2): 440 and 480 Hz together, 2 s on, 4 s off. The exchange plays the same. */
const FREQUENCIES_HZ = [440, 480];
const ON_SECONDS = 2;
const CYCLE_SECONDS = 6;
/** -16 dBFS each. */
const GAIN = 0.158;
/** No phone rings longer; the call's own limit ends it before. */
const MAX_SECONDS = 120;

/** Ringback that the page makes itself. */
export interface RingTone {
  /** Call it in the click: browsers start sound only after a gesture. */
  unlock(): void;
  /** Returns what stops it. */
  start(): () => void;
  /** Between calls it takes no power. */
  rest(): void;
  /** Like `HTMLMediaElement.setSinkId`; where the browser cannot, a chosen speaker gets no ringback of ours. */
  setSpeaker(id: string | null): Promise<void>;
}

/** Straight to the loudspeaker: by way of an element the tone would come 40 ms later, half of what it is there to save. */
export function createRingTone(): RingTone {
  let context: AudioContext | null = null;
  let speaker: string | null = null;
  let hasSpeaker = true;
  const moved = async () => {
    if (context === null) return;
    const output: AudioContext & { setSinkId?: (id: string) => Promise<void> } = context;
    try {
      if (output.setSinkId !== undefined) await output.setSinkId(speaker ?? "");
      hasSpeaker = output.setSinkId !== undefined || speaker === null;
    } catch {
      hasSpeaker = false;
    }
  };
  return {
    unlock() {
      if (typeof AudioContext === "undefined") return;
      if (context === null) {
        context = new AudioContext({ latencyHint: "interactive" });
        if (speaker !== null) void moved();
      }
      context.resume().catch(() => undefined);
    },
    start: () => (context === null || !hasSpeaker ? () => undefined : ring(context)),
    rest() {
      context?.suspend().catch(() => undefined);
    },
    async setSpeaker(id) {
      speaker = id;
      await moved();
    },
  };
}

function ring(context: AudioContext): () => void {
  const gain = new GainNode(context, { gain: 0 });
  gain.connect(context.destination);
  const begin = context.currentTime;
  for (let at = 0; at < MAX_SECONDS; at += CYCLE_SECONDS) {
    gain.gain.setValueAtTime(GAIN, begin + at);
    gain.gain.setValueAtTime(0, begin + at + ON_SECONDS);
  }
  const tones = FREQUENCIES_HZ.map((frequency) => new OscillatorNode(context, { frequency }));
  for (const tone of tones) {
    tone.connect(gain);
    tone.start();
    tone.stop(begin + MAX_SECONDS);
  }
  return () => {
    for (const tone of tones) tone.stop();
    gain.disconnect();
  };
}
