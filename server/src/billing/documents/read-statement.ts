import type { LedgerKind, LedgerLine, LedgerStatement } from "../../ledger/ledger.ts";
import type { StatementTime } from "./statement-month.ts";
import type { Context } from "../../context.ts";

/** An account's month and its owner. */
export interface Statement extends StatementTime {
  readonly customer: { readonly name: string; readonly email: string };
  readonly ledger: LedgerStatement;
}

export async function readStatement(
  { handle, ledger }: Context,
  { customer, time }: { customer: { id: string; name: string; email: string }; time: StatementTime },
): Promise<Statement> {
  const { name, email } = customer;
  return { ...time, customer: { name, email }, ledger: await ledger.statement(handle.db, customer.id, time) };
}

interface StatementTotal {
  readonly entries: number;
  readonly amountMicros: bigint;
}

/** Sums by kind of the lines read so far. */
export type StatementTotals = Map<LedgerKind, StatementTotal>;

/**
 * Streams the statement's lines, oldest first, and adds them to `totals`.
 * @throws Error at the end if the lines do not add up to the closing balance, because no statement is better than a wrong one
 */
export async function* reconciledLines(
  statement: LedgerStatement,
  totals: StatementTotals,
): AsyncGenerator<LedgerLine, void, void> {
  let sumMicros = statement.openingMicros;
  for await (const line of statement.lines()) {
    sumMicros += line.amountMicros;
    const so = totals.get(line.kind) ?? { entries: 0, amountMicros: 0n };
    totals.set(line.kind, { entries: so.entries + 1, amountMicros: so.amountMicros + line.amountMicros });
    yield line;
  }
  if (sumMicros !== statement.closingMicros)
    throw new Error(`A statement adds up to ${sumMicros} but closes at ${statement.closingMicros}.`);
}
