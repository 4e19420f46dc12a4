import { isUuid } from "@farline/domain/uuid.ts";
import { emailKey } from "@farline/domain/email-address.ts";
import type { FreezeReason } from "@farline/contract/constants.ts";
import type { Language } from "@farline/contract/languages.ts";
import { sql } from "kysely";
import type { Database, Transaction, Tx } from "../../platform/database/database.ts";
import { deleteRows } from "../../platform/database/in-batches.ts";
import { recordIdentityHashes } from "../identity-hashes/identity-hash.store.ts";
import type { IdentityHash } from "../identity-hashes/identity-hashes.ts";
import { AppError } from "../../platform/app-error.ts";

/** A stored password. */
export interface StoredPassword {
  /** argon2id, PHC form. */
  readonly hash: string;
  /** Id of the secret (pepper) mixed in, without which a stolen database is useless; null for none. */
  readonly keyId: string | null;
}

export interface Customer {
  id: string;
  name: string;
  email: string;
  /** `closing`: its owner requested its erasure, so calls and payments are refused. */
  status: "active" | "frozen" | "closing";
  emailVerified: boolean;
  /** Language of the mails. */
  language: Language;
  createdAt: Date;
  /** The owner of the customer's family, if the owner's credit pays for the customer's calls; otherwise null. */
  payerId: string | null;
}

/** A customer with what only they may see. */
export type Profile = Customer & {
  hasPassword: boolean;
  /** The mail server refused the last mail to the unverified address, which probably does not exist. */
  emailRefused: boolean;
  /** A link that confirms the address was mailed, or waits to be. */
  linkMailed: boolean;
  /** Null unless frozen. */
  frozenBecause: FreezeReason | null;
  /** When the account is erased at the earliest, or null. */
  closesAt: Date | null;
  /** Paid once for somebody else, without an account. */
  isGuest: boolean;
};

/** The profile of a customer who has just signed up. */
export function newProfile(
  facts: Pick<Customer, "id" | "name" | "email" | "emailVerified" | "language" | "createdAt"> & Partial<Profile>,
): Profile {
  return {
    status: "active",
    payerId: null,
    hasPassword: false,
    emailRefused: false,
    linkMailed: false,
    frozenBecause: null,
    closesAt: null,
    isGuest: false,
    ...facts,
  };
}

export const PROFILE_COLUMNS = [
  "customer.id as id",
  "customer.name as name",
  "customer.email as email",
  sql<Customer["status"]>`case when customer.status = 'active' and customer.closes_at is not null then 'closing'
    else customer.status end`.as("status"),
  sql<Profile["frozenBecause"]>`case when customer.status = 'frozen' then coalesce(customer.frozen_because, 'review') end`.as(
    "frozenBecause",
  ),
  "customer.closes_at as closesAt",
  "customer.is_guest as isGuest",
  "customer.email_verified as emailVerified",
  "customer.language as language",
  "customer.created_at as createdAt",
  sql<string | null>`(select owner_id from family_member member where member.customer_id = customer.id and member.owner_pays)`.as(
    "payerId",
  ),
  sql<boolean>`customer.password_hash is not null`.as("hasPassword"),
  sql<boolean>`not customer.email_verified and coalesce(
    (select mail.state = 'refused' from mail where mail.recipient = customer.email and mail.state in ('sent', 'refused')
     order by mail.done_at desc limit 1), false)`.as("emailRefused"),
  sql<boolean>`not customer.email_verified and exists (
    select from mail where lower(mail.recipient) = customer.email_key and mail.template = 'verify_email'
      and coalesce(mail.asked_by, customer.id) = customer.id and mail.state in ('waiting', 'sent'))`.as("linkMailed"),
] as const;

export async function emailIsTaken(db: Tx, email: string): Promise<boolean> {
  return (await db.selectFrom("customer").select("id").where("email_key", "=", emailKey(email)).executeTakeFirst()) !== undefined;
}

export async function insertCustomer(
  tx: Tx,
  customer: Omit<Customer, "status" | "payerId"> & { password: StoredPassword | null; mailbox: readonly IdentityHash[] },
): Promise<void> {
  await tx
    .insertInto("customer")
    .values({
      id: customer.id,
      name: customer.name,
      email: customer.email,
      email_key: emailKey(customer.email),
      password_hash: customer.password?.hash ?? null,
      password_key: customer.password?.keyId ?? null,
      email_verified: customer.emailVerified,
      language: customer.language,
      created_at: customer.createdAt,
    })
    .execute();
  await recordIdentityHashes(tx, { customerId: customer.id, identityHashes: customer.mailbox, now: customer.createdAt });
}

/** Before the key of a guest's address: no address has a colon there, so that nobody signs in, signs up or resets a password as a guest. */
const GUEST = "guest:";

/** The guest with this address, as which somebody pays for others without an account; the name is the one given last. */
export async function findOrInsertGuest(
  tx: Tx,
  guest: { id: string; name: string; email: string; language: Language; createdAt: Date },
): Promise<Profile> {
  return tx
    .insertInto("customer")
    .values({
      id: guest.id,
      name: guest.name,
      email: guest.email,
      email_key: GUEST + emailKey(guest.email),
      language: guest.language,
      created_at: guest.createdAt,
      is_guest: true,
    })
    .onConflict((conflict) => conflict.column("email_key").doUpdateSet({ name: guest.name, language: guest.language }))
    .returning(PROFILE_COLUMNS)
    .executeTakeFirstOrThrow();
}

/** Whether the database refused a customer because the address is taken. */
export function isEmailTakenError(error: unknown): boolean {
  const { code, constraint } = error as { code?: string; constraint?: string };
  return code === "23505" && constraint === "customer_email_key_key";
}

export async function findByEmail(db: Tx, email: string): Promise<(Profile & { password: StoredPassword | null }) | undefined> {
  const row = await db
    .selectFrom("customer")
    .select([...PROFILE_COLUMNS, "customer.password_hash as hash", "customer.password_key as keyId"])
    .where("email_key", "=", emailKey(email))
    .where("is_guest", "=", false)
    .executeTakeFirst();
  if (row === undefined) return undefined;
  const { hash, keyId, ...profile } = row;
  return { ...profile, password: hash === null ? null : { hash, keyId } };
}

export function findCustomer(db: Tx, id: string): Promise<Profile | undefined> {
  return db.selectFrom("customer").select(PROFILE_COLUMNS).where("id", "=", id).executeTakeFirst();
}

/** Finds a customer by id or email address. */
export async function findCustomerId(db: Tx, idOrEmail: string): Promise<string | undefined> {
  const named = db.selectFrom("customer").select("id");
  const asked = isUuid(idOrEmail) ? named.where("id", "=", idOrEmail) : named.where("email_key", "=", emailKey(idOrEmail));
  return (await asked.executeTakeFirst())?.id;
}

/** The customer's stored password; null if they have none. */
export async function findPassword(db: Tx, customerId: string): Promise<StoredPassword | null> {
  const row = await db
    .selectFrom("customer")
    .select(["password_hash as hash", "password_key as keyId"])
    .where("id", "=", customerId)
    .executeTakeFirst();
  return row === undefined || row.hash === null ? null : { hash: row.hash, keyId: row.keyId };
}

/** With `onlyInPlaceOf`, does nothing if the password changed since it was read. */
export async function storePassword(
  tx: Tx,
  wanted: { customerId: string; password: StoredPassword; onlyInPlaceOf?: string },
): Promise<void> {
  let update = tx
    .updateTable("customer")
    .set({ password_hash: wanted.password.hash, password_key: wanted.password.keyId })
    .where("id", "=", wanted.customerId);
  if (wanted.onlyInPlaceOf !== undefined) update = update.where("password_hash", "=", wanted.onlyInPlaceOf);
  await update.execute();
}

export async function clearPassword(tx: Tx, customerId: string): Promise<void> {
  await tx.updateTable("customer").set({ password_hash: null, password_key: null }).where("id", "=", customerId).execute();
}

export async function storeName(tx: Tx, customerId: string, name: string): Promise<void> {
  await tx.updateTable("customer").set({ name }).where("id", "=", customerId).execute();
}

/** @param proof.identityHashes of the request that verified the address */
export async function markEmailVerified(
  tx: Tx,
  customerId: string,
  proof: { identityHashes: readonly IdentityHash[]; now: Date },
): Promise<void> {
  await recordIdentityHashes(tx, { customerId, ...proof });
  await tx.updateTable("customer").set({ email_verified: true }).where("id", "=", customerId).execute();
}

/**
 * Stores a verified new address. Fails with `isEmailTakenError` if another customer has it.
 * @param proof.identityHashes of the address, and of the request that verified it
 */
export async function storeEmail(
  tx: Tx,
  customerId: string,
  email: string,
  proof: { identityHashes: readonly IdentityHash[]; now: Date },
): Promise<void> {
  await recordIdentityHashes(tx, { customerId, ...proof });
  await tx
    .updateTable("customer")
    .set({ email, email_key: emailKey(email), email_verified: true })
    .where("id", "=", customerId)
    .execute();
}

export async function storeLanguage(tx: Tx, customerId: string, language: Language): Promise<void> {
  await tx.updateTable("customer").set({ language }).where("id", "=", customerId).execute();
}

/** Freezes an account, or unfreezes it with null. @returns the customer if the status changed */
export function storeFreeze(tx: Tx, customerId: string, because: FreezeReason | null): Promise<Profile | undefined> {
  const status = because === null ? "active" : "frozen";
  return tx
    .updateTable("customer")
    .set({ status, frozen_because: because })
    .where("id", "=", customerId)
    .where("status", "<>", status)
    .returning(PROFILE_COLUMNS)
    .executeTakeFirst();
}

/** Why an account is frozen; null if it is not. */
export async function findFreeze(tx: Tx, customerId: string): Promise<FreezeReason | null> {
  const found = await tx
    .selectFrom("customer")
    .select("frozen_because")
    .where("id", "=", customerId)
    .where("status", "=", "frozen")
    .executeTakeFirst();
  return found?.frozen_because ?? null;
}

/** Closes an account until its erasure at `at`, or reopens it with null. */
export async function storeClosing(tx: Tx, customerId: string, at: Date | null): Promise<void> {
  await tx.updateTable("customer").set({ closes_at: at }).where("id", "=", customerId).execute();
}

/**
 * Serialises changes to a customer's sign-in methods until the transaction ends. Rows that only refer to the customer may
 * still be written.
 */
export async function lockCustomer(tx: Transaction, customerId: string): Promise<void> {
  await sql`select 1 from customer where id = ${customerId} for no key update`.execute(tx);
}

/** Prevents freezing a customer and verifying their address. Rows that only refer to the customer may still be written. */
export async function lockStanding(tx: Transaction, customerId: string): Promise<void> {
  await sql`select 1 from customer where id = ${customerId} for no key update`.execute(tx);
}

/** Removes expired counters, links and address changes, and browsers that are no longer used. */
export async function deleteExpired(
  db: Database,
  { now, yesterday, browsersSince }: { now: Date; yesterday: Date; browsersSince: Date },
  signal: AbortSignal,
): Promise<void> {
  // Expired links are kept for a day to give a helpful error.
  await deleteRows(db, signal, { from: "mail_link", where: sql`expires_at < ${yesterday}` });
  await deleteRows(db, signal, { from: "email_change", where: sql`expires_at < ${yesterday}` });
  await deleteRows(db, signal, { from: "sign_in_guard", where: sql`last_try_at < ${yesterday}` });
  await deleteRows(db, signal, { from: "known_browser", where: sql`last_used_at < ${browsersSince}` });
  await deleteRows(db, signal, { from: "rate_limit", where: sql`expire < ${now.getTime()}` });
}

export async function setPasswordResetAt(tx: Tx, customerId: string, at: Date): Promise<void> {
  await tx.updateTable("customer").set({ password_reset_at: at }).where("id", "=", customerId).execute();
}

/** Time of the last password reset by mail, or null. */
export async function passwordResetAt(db: Tx, customerId: string): Promise<Date | null> {
  const row = await db.selectFrom("customer").select("password_reset_at").where("id", "=", customerId).executeTakeFirst();
  return row?.password_reset_at ?? null;
}

/** How many customers registered in a span. */
export async function countRegistered(db: Tx, { from, to }: { from: Date; to: Date }): Promise<number> {
  const { count } = await db
    .selectFrom("customer")
    .select(({ fn }) => fn.countAll<bigint>().as("count"))
    .where("created_at", ">=", from)
    .where("created_at", "<", to)
    .where("is_guest", "=", false)
    .executeTakeFirstOrThrow();
  return Number(count);
}

export function emailTaken(reason: "email_taken" | "address_taken" = "email_taken"): AppError {
  return new AppError("email_taken", { reason, field: "email" });
}

/** Opens the review of a frozen account. One that is open keeps its time and reason. */
export async function openReview(tx: Tx, review: { customerId: string; reason: string; at: Date }): Promise<void> {
  await tx
    .insertInto("freeze_review")
    .values({ customer_id: review.customerId, reason: review.reason, opened_at: review.at })
    .onConflict((conflict) => conflict.column("customer_id").doNothing())
    .execute();
}

/** Ends the review of a frozen account. @returns false if none is open */
export async function closeFreezeReview(tx: Tx, customerId: string): Promise<boolean> {
  const done = await tx.deleteFrom("freeze_review").where("customer_id", "=", customerId).executeTakeFirst();
  return done.numDeletedRows > 0n;
}

/** Whether the review of a frozen account waits for an operator. */
export async function hasFreezeReview(tx: Tx, customerId: string): Promise<boolean> {
  const found = await tx
    .selectFrom("freeze_review")
    .select("customer_id")
    .where("customer_id", "=", customerId)
    .executeTakeFirst();
  return found !== undefined;
}
