import { sql, type Selectable } from "kysely";
import type { Database, Transaction, Tx } from "../platform/database/database.ts";
import { deleteRows } from "../platform/database/in-batches.ts";
import type { FamilyTables } from "./family.tables.ts";

/** What the owner allows a member; null for no limit. */
export type Limits = Pick<FamilyTables["family_member"], "daily_cap_micros" | "monthly_cap_micros" | "countries" | "time_zone">;

export type Invitation = Selectable<FamilyTables["family_invitation"]>;

/** A person of a family, with what their calls on the owner's credit cost. */
export type Person = Selectable<FamilyTables["family_member"]> & {
  name: string;
  owner_name: string;
  /** Whether the owner's account may pay now. */
  owner_is_active: boolean;
  /** The owner's credit that no call holds. */
  available_micros: bigint;
  today_micros: bigint;
  month_micros: bigint;
};

/** The customer's family: for its owner all people, the owner first; for a member only the member; otherwise nobody. */
export async function readPeople(tx: Tx, customerId: string, now: Date): Promise<Person[]> {
  const { rows } = await sql<Person>`
    select member.*, c.name, o.name as owner_name, o.status = 'active' and o.closes_at is null as owner_is_active,
      a.balance_micros - a.held_micros as available_micros, spent.today as today_micros, spent.month as month_micros
    from family_member member
    join customer c on c.id = member.customer_id
    join customer o on o.id = member.owner_id
    join account a on a.customer_id = member.owner_id
    cross join lateral family_spending(member, ${now}, null) spent
    where member.owner_id = ${customerId} or member.customer_id = ${customerId}
    order by member.customer_id <> member.owner_id, member.joined_at, member.customer_id`.execute(tx);
  return rows;
}

/** The owner of the customer's family. */
export async function findOwnerId(tx: Tx, customerId: string): Promise<string | undefined> {
  const row = await tx.selectFrom("family_member").select("owner_id").where("customer_id", "=", customerId).executeTakeFirst();
  return row?.owner_id;
}

/** Makes the customer the owner of a new family, unless they are in one. */
export async function insertOwner(tx: Tx, customerId: string, now: Date): Promise<void> {
  await tx
    .insertInto("family_member")
    .values({
      customer_id: customerId,
      owner_id: customerId,
      joined_at: now,
      owner_pays: false,
      shows_numbers: false,
      daily_cap_micros: null,
      monthly_cap_micros: null,
      countries: null,
      time_zone: "UTC",
    })
    .onConflict((conflict) => conflict.column("customer_id").doNothing())
    .execute();
}

/** @returns false if the customer is in a family already */
export async function insertMember(tx: Transaction, member: FamilyTables["family_member"]): Promise<boolean> {
  const added = await tx
    .insertInto("family_member")
    .values(member)
    .onConflict((conflict) => conflict.column("customer_id").doNothing())
    .returning("customer_id")
    .executeTakeFirst();
  return added !== undefined;
}

/** How many people the owner's family has. Exact under the lock of the owner's account. */
export async function countPeople(tx: Transaction, ownerId: string): Promise<number> {
  const { people } = await tx
    .selectFrom("family_member")
    .select(({ fn }) => fn.countAll<bigint>().as("people"))
    .where("owner_id", "=", ownerId)
    .executeTakeFirstOrThrow();
  return Number(people);
}

/** Stores the owner's limits or the member's choices. @returns false if there is no such member */
export async function updateMember(
  tx: Tx,
  of: { ownerId: string; memberId: string },
  change: Limits | { owner_pays: boolean; shows_numbers: boolean },
): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable("family_member")
    .set(change)
    .where("customer_id", "=", of.memberId)
    .where("owner_id", "=", of.ownerId)
    .where("customer_id", "<>", of.ownerId)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** Takes a person out of a family. With its owner the whole family ends. @returns the ids of those who are no longer in it */
export async function deletePerson(tx: Tx, of: { ownerId: string; personId: string }): Promise<string[]> {
  const { rows } = await sql<{ customer_id: string }>`
    select customer_id from family_member
    where owner_id = ${of.ownerId} and ${of.personId} in (customer_id, owner_id)`.execute(tx);
  await tx.deleteFrom("family_member").where("customer_id", "=", of.personId).where("owner_id", "=", of.ownerId).execute();
  return rows.map((row) => row.customer_id);
}

export async function insertInvitation(tx: Transaction, invitation: FamilyTables["family_invitation"]): Promise<void> {
  await tx.insertInto("family_invitation").values(invitation).execute();
}

/** The owner's open invitations, oldest first. */
export async function listInvitations(tx: Tx, ownerId: string, now: Date): Promise<Invitation[]> {
  return tx
    .selectFrom("family_invitation")
    .selectAll()
    .where("customer_id", "=", ownerId)
    .where("expires_at", ">", now)
    .orderBy("created_at")
    .execute();
}

export async function findInvitation(tx: Tx, id: string, now: Date): Promise<Invitation | undefined> {
  return tx.selectFrom("family_invitation").selectAll().where("id", "=", id).where("expires_at", ">", now).executeTakeFirst();
}

/** @returns false if it is no longer open */
export async function deleteInvitation(tx: Tx, of: { ownerId: string; id: string }): Promise<boolean> {
  const { numDeletedRows } = await tx
    .deleteFrom("family_invitation")
    .where("customer_id", "=", of.ownerId)
    .where("id", "=", of.id)
    .executeTakeFirst();
  return numDeletedRows > 0n;
}

/** Ends all links to families, for all customers. */
export async function deleteAllInvitations(tx: Transaction): Promise<void> {
  await tx.deleteFrom("family_invitation").execute();
}

export async function deleteExpiredInvitations(db: Database, now: Date, signal: AbortSignal): Promise<void> {
  await deleteRows(db, signal, { from: "family_invitation", where: sql`expires_at <= ${now}` });
}

/** Whether the owner of the member's family may see whom the member calls. */
export async function showsNumbers(tx: Tx, of: { ownerId: string; memberId: string }): Promise<boolean> {
  const row = await tx
    .selectFrom("family_member")
    .select("shows_numbers")
    .where("customer_id", "=", of.memberId)
    .where("owner_id", "=", of.ownerId)
    .executeTakeFirst();
  return row?.shows_numbers === true;
}

/** The names of these customers, without those whose accounts were erased. */
export async function readNames(tx: Tx, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await tx
    .selectFrom("customer")
    .select(["id", "name"])
    .where("id", "in", ids)
    .where(({ not, exists, selectFrom }) =>
      not(
        exists(
          selectFrom("account_erasure")
            .whereRef("account_erasure.customer_id", "=", "customer.id")
            .where("erased_at", "is not", null),
        ),
      ),
    )
    .execute();
  return new Map(rows.map(({ id, name }) => [id, name]));
}
