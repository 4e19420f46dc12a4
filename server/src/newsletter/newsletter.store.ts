import { emailKey } from "@farline/domain/email-address.ts";
import type { Language } from "@farline/contract/languages.ts";
import { sql } from "kysely";
import type { Database, Tx } from "../platform/database/database.ts";
import { deleteRows } from "../platform/database/in-batches.ts";

interface Subscription {
  id: string;
  email: string;
  language: Language;
  state: "asked" | "confirmed" | "ended";
}

const COLUMNS = ["id", "email", "language", "state"] as const;

/** Records a subscription request for an address. A confirmed subscription stays unchanged. */
export async function requestSubscription(
  tx: Tx,
  request: { id: string; email: string; language: Language; now: Date },
): Promise<Subscription> {
  return tx
    .insertInto("newsletter_subscription")
    .values({
      id: request.id,
      email: request.email,
      email_key: emailKey(request.email),
      language: request.language,
      state: "asked",
      asked_at: request.now,
      confirmed_at: null,
      ended_at: null,
    })
    .onConflict((conflict) =>
      conflict.column("email_key").doUpdateSet({
        state: sql`case newsletter_subscription.state when 'confirmed' then 'confirmed' else 'asked' end`,
        language: sql`case newsletter_subscription.state when 'confirmed' then newsletter_subscription.language else excluded.language end`,
        asked_at: sql`case newsletter_subscription.state when 'confirmed' then newsletter_subscription.asked_at else excluded.asked_at end`,
      }),
    )
    .returning(COLUMNS)
    .executeTakeFirstOrThrow();
}

/** Confirms a request newer than `requestedAfter`. Undefined if there is none; `first` is false if it was confirmed before. */
export async function confirmSubscription(
  tx: Tx,
  wanted: { id: string; requestedAfter: Date; now: Date },
): Promise<{ subscription: Subscription; first: boolean } | undefined> {
  const confirmed = await tx
    .updateTable("newsletter_subscription")
    .set({ state: "confirmed", confirmed_at: wanted.now, ended_at: null })
    .where("id", "=", wanted.id)
    .where("state", "=", "asked")
    .where("asked_at", ">", wanted.requestedAfter)
    .returning(COLUMNS)
    .executeTakeFirst();
  if (confirmed !== undefined) return { subscription: confirmed, first: true };
  const subscription = await tx
    .selectFrom("newsletter_subscription")
    .select(COLUMNS)
    .where("id", "=", wanted.id)
    .where("state", "=", "confirmed")
    .executeTakeFirst();
  return subscription === undefined ? undefined : { subscription, first: false };
}

/** Ends a subscription or an unconfirmed request. Undefined if there was none. */
export function endSubscription(tx: Tx, id: string, now: Date): Promise<{ email: string } | undefined> {
  return tx
    .updateTable("newsletter_subscription")
    .set((eb) => ({ state: "ended" as const, ended_at: eb.fn.coalesce("ended_at", eb.val(now)) }))
    .where("id", "=", id)
    .returning("email")
    .executeTakeFirst();
}

/** Deletes unconfirmed requests: addresses are not kept without consent. */
export async function deleteUnconfirmed(db: Database, requestedBefore: Date, signal: AbortSignal): Promise<void> {
  const where = sql`state = 'asked' and asked_at < ${requestedBefore}`;
  await deleteRows(db, signal, { from: "newsletter_subscription", where });
}
