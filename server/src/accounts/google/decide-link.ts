/** What Google says about somebody. */
export interface GoogleClaims {
  readonly issuer: string;
  /** Google's lasting number of the person. */
  readonly subject: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
  /** The Workspace domain whose mailboxes Google runs. */
  readonly hostedDomain: string | null;
}

/** What we know of a customer with the address that Google names. */
export interface LocalAccount {
  readonly emailVerified: boolean;
  /** Money was ever put in. */
  readonly hasMoved: boolean;
  /** Connected with a Google account, which then is another one. */
  readonly hasGoogle: boolean;
}

/**
 * - `sign_in`: known by identity, whatever the address is now
 * - `refuse_unverified`: Google does not vouch for the address
 * - `create`: a new customer
 * - `link`: the address is the same person's for sure
 * - `link_by_owner`: it may be another person's by now; the customer signs in and connects it
 * - `take_over`: somebody entered the address here and never proved it; they lose the account to its owner
 * - `reset_first`: the same, but there is money in it: the owner proves the address by a mail, then it is proved
 */
export type LinkDecision = "sign_in" | "refuse_unverified" | "create" | "link" | "link_by_owner" | "take_over" | "reset_first";

/** Who a person from Google is here. */
export function decideLink(given: { known: boolean; claims: GoogleClaims; local: LocalAccount | null }): LinkDecision {
  const { known, claims, local } = given;
  if (known) return "sign_in";
  if (!claims.emailVerified) return "refuse_unverified";
  if (local === null) return "create";
  if (!local.emailVerified) return local.hasMoved ? "reset_first" : "take_over";
  return isAuthoritative(claims) && !local.hasGoogle ? "link" : "link_by_owner";
}

/**
 * Google runs the mailbox itself: Gmail, or the address's own domain is a Workspace. Elsewhere the address may have gone to
 * somebody else since Google checked it.
 */
function isAuthoritative({ email, hostedDomain }: GoogleClaims): boolean {
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  return domain === "gmail.com" || hostedDomain !== null;
}
