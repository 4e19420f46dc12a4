/** The dialer with a number (E.164, an extension behind it) filled in, and its owner's name. */
export function dialerAddress(number: string, name: string | null): string {
  return `/dialer?${new URLSearchParams({ number, ...(name === null ? {} : { name }) })}`;
}

/** The form for a new contact with a number filled in. */
export function newContactAddress(e164: string): string {
  return `/contacts?${new URLSearchParams({ add: e164 })}`;
}
