/** A random UUID (RFC 9562, version 4). `crypto.randomUUID` exists on secure origins only. */
export function randomId(): string {
  return "00000000-0000-4000-8000-000000000000".replace(/[08]/g, (digit) => {
    const random = crypto.getRandomValues(new Uint8Array(1))[0] ?? 0;
    return (digit === "8" ? 8 + (random & 3) : random & 15).toString(16);
  });
}
