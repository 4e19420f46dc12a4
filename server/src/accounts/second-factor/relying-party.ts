/** Who passkeys are made for. They work under this name alone: a site that only looks like ours gets nothing from them. */
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
