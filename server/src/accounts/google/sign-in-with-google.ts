import type { ActivityKind } from "@farline/contract/account-activity.ts";
import type { ErrorCode } from "@farline/contract/api/error-codes.ts";
import type { Reason } from "@farline/texts/reason.ts";
import { emailKey } from "@farline/domain/email-address.ts";
import { cleanLine } from "@farline/domain/text/clean-text.ts";
import { emailField } from "@farline/contract/accounts.ts";
import type { Language } from "@farline/contract/languages.ts";
import { uuidv7 } from "uuidv7";
import { AppError } from "../../platform/app-error.ts";
import type { Transaction, Tx } from "../../platform/database/database.ts";
import {
  findByEmail,
  findCustomer,
  insertCustomer,
  isEmailTakenError,
  lockCustomer,
  markEmailVerified,
  type Profile,
  storeName,
  newProfile,
} from "../record/customer.store.ts";
import { endPlantedAccess } from "../sign-in/end-planted-access.ts";
import { finishFirstFactor, type FirstFactorOutcome } from "../sign-in/finish-sign-in.ts";
import { insertSecurityEvent } from "../record/security-event.store.ts";
import { sendNotice } from "../record/send-notice.ts";
import { mailboxHashes } from "../identity-hashes/identity-hashes.ts";
import type { SignInOrigin } from "../session/start-session.ts";
import { decideLink, type GoogleClaims, type LinkDecision } from "./decide-link.ts";
import { type GoogleContext, googleFailed } from "./google-provider.ts";
import { findIdentityOf, findIdentityOwner, insertIdentity, isIdentityTakenError } from "../record/google.store.ts";

const LONGEST_NAME = 120;

/** Origin of a sign-in, and the language for a new customer. */
interface Visitor {
  readonly origin: SignInOrigin;
  readonly language: Language;
}

/**
 * Signs in with a Google account: as the customer linked to it, else as the customer with its address if that is safe,
 * else as a new customer.
 * @throws AppError google_failed, google_link_needed
 */
export async function signInWithGoogle(
  ctx: GoogleContext,
  claims: GoogleClaims,
  visitor: Visitor,
): Promise<{ customer: Profile; outcome: FirstFactorOutcome; decision: LinkDecision }> {
  if (!emailField.safeParse(claims.email).success) throw googleFailed({ reason: "email missing" });
  const attempt = () => ctx.transaction((tx) => signInWithin(tx, ctx, claims, visitor));
  try {
    return await attempt();
  } catch (error) {
    // A concurrent sign-in of the same person has linked the account, so try again.
    if (isIdentityTakenError(error) || isEmailTakenError(error)) return attempt();
    if (error instanceof LinkRefused) await error.recordRefusal(ctx, visitor.origin);
    throw error;
  }
}

async function signInWithin(tx: Transaction, ctx: GoogleContext, claims: GoogleClaims, visitor: Visitor) {
  const now = ctx.clock.now();
  const { origin } = visitor;
  const known = await findIdentityOwner(tx, claims);
  const local = known === undefined ? await findLocal(tx, ctx, claims) : null;
  // Read again under the lock: a concurrent sign-in may have linked the account.
  const owner = local === null ? known : await findIdentityOwner(tx, claims);
  const decision = decideLink({ known: owner !== undefined, claims, local });
  if (owner !== undefined) await lockCustomer(tx, owner.id);
  if (owner !== undefined && (await findIdentityOwner(tx, claims)) === undefined) throw googleFailed({ reason: "disconnected" });
  const customer = owner ?? (await linkAccount(tx, ctx, { decision, local, claims, visitor, now }));
  return { customer, outcome: await finishFirstFactor(tx, customer.id, now, origin), decision };
}

/** Links a Google account to an existing or a new customer. */
async function linkAccount(
  tx: Tx,
  ctx: GoogleContext,
  what: { decision: LinkDecision; local: Local | null; claims: GoogleClaims; visitor: Visitor; now: Date },
): Promise<Profile> {
  const { decision, local, claims, visitor, now } = what;
  const connect = (customerId: string) => insertIdentity(tx, { ...claims, customerId, now });
  const record = (customerId: string, kind: ActivityKind) =>
    insertSecurityEvent(tx, { customerId, kind, detail: claims.email, from: visitor.origin, at: now });
  if (decision === "create") {
    const made = await createCustomer(tx, ctx, { claims, language: visitor.language, now });
    await connect(made.id);
    await record(made.id, "google_linked");
    return made;
  }
  if (local === null || (decision !== "link" && decision !== "take_over"))
    throw new LinkRefused(decision, local?.profile.id ?? null);
  const { profile } = local;
  if (decision === "take_over") await takeOver(tx, ctx, { profile, claims, visitor, now });
  await connect(profile.id);
  await record(profile.id, decision === "link" ? "google_linked" : "google_took_unverified");
  if (decision === "link") await sendNotice(tx, profile, { event: "google_linked", at: now, device: visitor.origin.device });
  return (await findCustomer(tx, profile.id)) ?? profile;
}

/** The address was never verified, so the account passes to the owner of the address. */
async function takeOver(
  tx: Tx,
  ctx: GoogleContext,
  { profile, claims, visitor, now }: { profile: Profile; claims: GoogleClaims; visitor: Visitor; now: Date },
): Promise<void> {
  const removed = await endPlantedAccess(tx, ctx, { customer: profile, from: visitor.origin, at: now });
  const name = nameOf(claims);
  await storeName(tx, profile.id, name);
  await markEmailVerified(tx, profile.id, { identityHashes: visitor.origin.identityHashes, now });
  const { device } = visitor.origin;
  await sendNotice(tx, { ...profile, name }, { event: "address_proved", at: now, device, removed });
}

interface Local {
  readonly profile: Profile;
  readonly emailVerified: boolean;
  readonly hasTransactions: boolean;
  readonly hasGoogle: boolean;
}

/** The customer with the address, locked for the decision. */
async function findLocal(tx: Transaction, ctx: GoogleContext, claims: GoogleClaims): Promise<Local | null> {
  const seen = await findByEmail(tx, claims.email);
  if (seen === undefined) return null;
  await lockCustomer(tx, seen.id);
  const profile = await findCustomer(tx, seen.id);
  if (profile === undefined || emailKey(profile.email) !== emailKey(claims.email)) return null;
  const { total } = await ctx.ledger.transactions(tx, profile.id, { limit: 1 });
  const google = await findIdentityOf(tx, { customerId: profile.id, issuer: claims.issuer });
  return { profile, emailVerified: profile.emailVerified, hasTransactions: total > 0, hasGoogle: google !== undefined };
}

async function createCustomer(
  tx: Tx,
  ctx: GoogleContext,
  wanted: { claims: GoogleClaims; language: Language; now: Date },
): Promise<Profile> {
  const { claims, language, now } = wanted;
  const { email } = claims;
  const customer = newProfile({ id: uuidv7(), name: nameOf(claims), email, emailVerified: true, language, createdAt: now });
  await insertCustomer(tx, { ...customer, password: null, mailbox: mailboxHashes(ctx.config.secretKeys, email) });
  await ctx.ledger.openAccount(tx, customer.id);
  return customer;
}

function nameOf({ name, email }: GoogleClaims): string {
  const told = cleanLine(name).slice(0, LONGEST_NAME).trim();
  return told === "" ? email.slice(0, email.lastIndexOf("@")).slice(0, LONGEST_NAME) : told;
}

/** A refusal that leaves the account unchanged. */
class LinkRefused extends AppError {
  readonly #customerId: string | null;

  constructor(decision: LinkDecision, customerId: string | null) {
    const [code, reason] = refusal(decision);
    super(code, { reason });
    this.#customerId = customerId;
  }

  async recordRefusal(ctx: GoogleContext, from: SignInOrigin): Promise<void> {
    if (this.#customerId === null) return;
    const event = {
      customerId: this.#customerId,
      kind: "google_refused",
      detail: this.code,
      from,
      at: ctx.clock.now(),
    } as const;
    await insertSecurityEvent(ctx.handle.db, event);
  }
}

function refusal(decision: LinkDecision): [ErrorCode, Reason] {
  switch (decision) {
    case "refuse_unverified":
      return ["google_failed", "google_email_unverified"];
    case "link_by_owner":
      return ["google_link_needed", "google_link_needed"];
    case "reset_first":
      return ["google_link_needed", "google_reset_first"];
    default:
      throw new Error(`There is no refusal for ${decision}.`);
  }
}
