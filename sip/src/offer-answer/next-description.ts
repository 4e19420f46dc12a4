const ORIGIN = /^(o=\S+ \S+ )(\d+) /m;

/** Our next SDP in a dialog: its version is one above that of the last SDP sent, or equal if nothing else has changed (RFC 3264 §8). */
export function nextDescription(sent: string, next: string): string {
  const version = Number(ORIGIN.exec(sent)?.[2] ?? 0);
  const unchanged = withVersion(next, version);
  return unchanged === sent ? sent : withVersion(next, version + 1);
}

function withVersion(sdp: string, version: number): string {
  return sdp.replace(ORIGIN, `$1${version} `);
}
