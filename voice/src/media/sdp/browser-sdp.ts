import { MediaError } from "../media-plane.ts";

const MAX_SDP_BYTES = 32_768;

/**
 * The part of a browser's offer or answer that an ICE-lite server needs. Removes candidates, because we learn the address from the
 * browser's checks. Removes `a=rtcp`, which has no meaning with rtcp-mux, and whose short form werift cannot parse.
 * @throws MediaError `bad_sdp`
 */
export function sanitizeSdp(sdp: string): string {
  if (sdp.length > MAX_SDP_BYTES) throw new MediaError("bad_sdp", "The session description is too long.");
  const lines = sdp
    .split(/\r?\n/)
    .filter((line) => line !== "" && !/^a=(candidate|end-of-candidates|remote-candidates|rtcp):?/.test(withoutMux(line)));
  if (lines[0] !== "v=0") throw new MediaError("bad_sdp", "This is not SDP.");
  if (lines.filter((line) => line.startsWith("m=")).length !== 1)
    throw new MediaError("bad_sdp", "There must be exactly one media line.");
  const required = [/^m=audio /, /^a=ice-ufrag:/, /^a=ice-pwd:/, /^a=fingerprint:/, /^a=rtcp-mux$/];
  for (const pattern of required) {
    if (!lines.some((line) => pattern.test(line)))
      throw new MediaError("bad_sdp", `The session description lacks ${pattern.source.slice(1)}.`);
  }
  return `${lines.join("\r\n")}\r\n`;
}

/** Whether a browser's SDP offers Opus (RFC 7587 §7), and PCMU for a far end that answers without it. */
export function offersOpus(sdp: string): boolean {
  return /^a=rtpmap:\d+ opus\/48000\/2\s*$/im.test(sdp) && /^m=audio \d+ \S+.* 0\b/m.test(sdp);
}

/** Exempts `a=rtcp-mux`, `a=rtcp-fb` and `a=rtcp-rsize`. */
function withoutMux(line: string): string {
  return line.startsWith("a=rtcp-") ? "" : line;
}
