/**
 * Why no call can work in this page, whatever its caller allows: not https; the browser builds no connections (Lockdown Mode, Tor, an
 * extension, a policy); it offers pages no microphone (many in-app browsers); the page around this one or a header forbids it.
 */
export type CallObstacle = "insecure" | "no_connections" | "no_microphone" | "forbidden";

/** What a page needs for a call. Each may be missing, whatever the DOM's types say. */
export interface CallingPage {
  readonly isSecureContext: boolean;
  readonly RTCPeerConnection?: unknown;
  readonly navigator: { readonly mediaDevices?: { readonly getUserMedia?: unknown } | undefined };
  /** `featurePolicy` is Chromium's; others tell only when the microphone is opened. */
  readonly document: object & { readonly featurePolicy?: { allowsFeature?(name: string): boolean } };
}

/** The obstacle that is plain to see. */
export function plainObstacle(page: CallingPage): CallObstacle | null {
  // First, because browsers hide the rest from such pages.
  if (!page.isSecureContext) return "insecure";
  if (typeof page.RTCPeerConnection !== "function") return "no_connections";
  if (typeof page.navigator.mediaDevices?.getUserMedia !== "function") return "no_microphone";
  return page.document.featurePolicy?.allowsFeature?.("microphone") === false ? "forbidden" : null;
}

/** Also tries whether a connection can be built: extensions put constructors there that throw or build none. */
export function findObstacle(page: CallingPage): CallObstacle | null {
  const plain = plainObstacle(page);
  if (plain !== null) return plain;
  try {
    const peer = new (page.RTCPeerConnection as typeof RTCPeerConnection)();
    peer.addTransceiver("audio");
    peer.close();
    return null;
  } catch {
    return "no_connections";
  }
}
