/** Google's claims about a person. */
export interface GoogleClaims {
  readonly issuer: string;
  /** Google's stable id of the person. */
  readonly subject: string;
  readonly email: string;
  readonly emailVerified: boolean;
  readonly name: string;
  /** The Workspace domain (`hd`), whose mailboxes Google hosts. */
  readonly hostedDomain: string | null;
}

/** Facts about the customer with Google's address. */
export interface LocalAccount {
  readonly emailVerified: boolean;
  /** Whether the account has ledger transactions. */
  readonly hasTransactions: boolean;
  /** Whether another Google account is connected. */
  readonly hasGoogle: boolean;
}

/**
 * - `sign_in`: the identity is linked, whatever its address is now
 * - `refuse_unverified`: Google has not verified the address
 * - `create`: a new customer
 * - `link`: the address certainly belongs to the same person
 * - `link_by_owner`: the address may belong to someone else by now; the customer signs in and connects it
 * - `take_over`: the address was never verified here, so its owner takes the account over
 * - `reset_first`: the same, but the account has held money, so the owner must verify the address by mail first
 */
export type LinkDecision = "sign_in" | "refuse_unverified" | "create" | "link" | "link_by_owner" | "take_over" | "reset_first";

/** Decides which customer a Google account belongs to. */
export function decideLink(given: { known: boolean; claims: GoogleClaims; local: LocalAccount | null }): LinkDecision {
  const { known, claims, local } = given;
  if (known) return "sign_in";
  if (!claims.emailVerified) return "refuse_unverified";
  if (local === null) return "create";
  if (!local.emailVerified) return local.hasTransactions ? "reset_first" : "take_over";
  return isAuthoritative(claims) && !local.hasGoogle ? "link" : "link_by_owner";
}

/**
 * Whether Google runs the mailbox: Gmail or a Workspace domain. Elsewhere the address may have changed hands
 * since Google verified it.
 */
function isAuthoritative({ email, hostedDomain }: GoogleClaims): boolean {
  const domain = email.slice(email.lastIndexOf("@") + 1).toLowerCase();
  return domain === "gmail.com" || hostedDomain !== null;
}
