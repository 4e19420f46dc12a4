/** The dialer with a number filled in, and the name of who has it. */
export function dialerAddress(e164: string, name: string | null): string {
  return `/dialer?${new URLSearchParams({ number: e164, ...(name === null ? {} : { name }) })}`;
}

/** The form for a new contact with a number filled in. */
export function newContactAddress(e164: string): string {
  return `/contacts?${new URLSearchParams({ add: e164 })}`;
}
