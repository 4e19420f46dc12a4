const TICKET_BYTES = 32;

/** An unguessable ticket for one call: 32 random bytes, base64url. */
export function newTicket(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(TICKET_BYTES));
  return btoa(String.fromCharCode(...bytes))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");
}
