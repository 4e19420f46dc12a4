import type { DetailName, RecordedAction } from "@farline/contract/operator/words/audit-words.ts";
import type { Micros } from "@farline/domain/money.ts";
import { sql, type Selectable } from "kysely";
import { uuidv7 } from "uuidv7";
import type { Clock } from "../platform/clock.ts";
import type { Transaction, Tx } from "../platform/database/database.ts";
import type { OperatorTables } from "./operator.tables.ts";
import { confirmActor, type Actor } from "./people/operator-sessions.ts";

/** How much credit or money an operation can bring to customers, or take, and to how many. */
export interface Moves {
  /** Null without a limit. */
  readonly amountMicros: Micros | null;
  readonly customers: number | "everyone";
}

export const MOVES_NOTHING: Moves = { amountMicros: 0n, customers: 0 };

/** An operation that is about no customer and moves nothing, for its plan or record. */
export const CONCERNS_NOBODY = { customerId: null, moves: MOVES_NOTHING } as const;

/** An operator's action for the audit log. */
export interface Operation {
  /** Its declared name, or what the audit log has besides: a proposal of it, and what has no declaration because it has no form. */
  readonly action: RecordedAction;
  readonly customerId: string | null;
  /** The payment, call or dispute concerned. */
  readonly subject: string | null;
  readonly reason: string;
  /** What it can bring to customers at worst. Above the limit of one operator it is a proposal. */
  readonly moves: Moves;
  /** Further details. No secrets, no card data. */
  readonly detail?: Readonly<Partial<Record<DetailName, string | number | boolean>>>;
}

const REASON_LENGTH = 500;
const recorded = new WeakSet<Tx>();

/**
 * Records the acting operator's operation in the same transaction, if they still may act: this is the last word, after every wait for a
 * lock. Actions by customers and jobs are not recorded here.
 * @throws AppError as `confirmActor`
 */
export async function recordOperation(
  tx: Transaction,
  { actor, clock }: { readonly actor: Actor; readonly clock: Clock },
  { action, customerId, subject, reason, moves: { amountMicros, customers }, detail = {} }: Operation,
): Promise<void> {
  if (actor.kind !== "operator") return;
  const now = clock.now();
  await confirmActor(tx, actor, { now, holds: "until-commit" });
  await tx
    .insertInto("operation")
    .values({
      id: uuidv7(),
      operator_id: actor.id,
      operator: actor.name,
      action,
      customer_id: customerId,
      subject,
      reason: reason.slice(0, REASON_LENGTH),
      detail: JSON.stringify({ ...detail, amount_micros: String(amountMicros ?? "unlimited"), reach: customers }),
      happened_at: now,
    })
    .execute();
  recorded.add(tx);
}

/** Whether `recordOperation` was called in this transaction. */
export function wasRecorded(tx: Transaction): boolean {
  return recorded.has(tx);
}

type OperationRow = Selectable<OperatorTables["operation"]>;

/** With the address of whom it was about. */
export type ListedOperation = OperationRow & { readonly email: string | null };

/** The audit log, newest first. `cursor`: the last one of the previous page. */
export function listOperations(
  db: Tx,
  wanted: {
    operator?: string | undefined;
    customer?: string | undefined;
    action?: string | undefined;
    cursor?: string | undefined;
    limit: number;
  },
): Promise<ListedOperation[]> {
  const { operator, customer, action, cursor, limit } = wanted;
  let rows = db
    .selectFrom("operation")
    .leftJoin("customer", "customer.id", "operation.customer_id")
    .selectAll("operation")
    .select("customer.email");
  if (operator !== undefined) rows = rows.where("operator_id", "=", operator);
  if (customer !== undefined) rows = rows.where("customer_id", "=", customer);
  if (action !== undefined) rows = rows.where("action", "=", action);
  if (cursor !== undefined)
    rows = rows.where(
      sql<boolean>`(operation.happened_at, operation.id) < (select happened_at, id from operation where id = ${cursor})`,
    );
  return rows.orderBy("operation.happened_at", "desc").orderBy("operation.id", "desc").limit(limit).execute();
}
