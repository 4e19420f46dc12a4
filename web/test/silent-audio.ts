import { vi } from "vitest";

/** For tests: the part of Web Audio that level meters and test calls need. Nothing is played or heard. */
class SilentNode {
  connect(): void {
    // Nothing to connect.
  }
  disconnect(): void {
    // As above.
  }
  start(): void {
    // Nothing is played.
  }
  getFloatTimeDomainData(): void {
    // Silence.
  }
}

/** Puts silent audio in the browser's place, until globals are unstubbed. Returns the streams that are measured, in order. */
export function stubAudio(): MediaStream[] {
  const measured: MediaStream[] = [];
  class SilentContext extends EventTarget {
    readonly state = "running";
    createMediaStreamSource(mediaStream: MediaStream): SilentNode {
      measured.push(mediaStream);
      return Object.assign(new SilentNode(), { mediaStream });
    }
    createMediaStreamDestination(): { stream: object } {
      return { stream: {} };
    }
    async close(): Promise<void> {
      // Nothing to release.
    }
  }
  for (const name of ["Audio", "AnalyserNode", "ConstantSourceNode"]) vi.stubGlobal(name, SilentNode);
  vi.stubGlobal("AudioContext", SilentContext);
  return measured;
}
