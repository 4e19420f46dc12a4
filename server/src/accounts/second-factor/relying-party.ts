/** The relying party. Passkeys work only under this name, so look-alike sites cannot use them. */
export interface RelyingParty {
  readonly name: string;
  /** Host name, without port. */
  readonly id: string;
  readonly origin: string;
}

export function relyingParty(publicUrl: string): RelyingParty {
  const { hostname, origin } = new URL(publicUrl);
  return { name: "Farline", id: hostname, origin };
}
