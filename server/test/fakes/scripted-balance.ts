import { randomBytes } from "node:crypto";

/** A line of the balance report. Amounts in cents. */
interface Movement {
  id: string;
  object: "balance_transaction";
  reporting_category: string;
  amount: number;
  fee: number;
  net: number;
  currency: string;
  created: number;
  source: { id: string; payment_intent?: string };
}

/** The payment provider's balance, whose movements a test may change. */
export class ScriptedBalance {
  readonly movements: Movement[] = [];

  move(category: string, amount: number, { intent, fee = 0 }: { intent?: string; fee?: number } = {}): Movement {
    const made: Movement = {
      id: `txn_${randomBytes(12).toString("hex")}`,
      object: "balance_transaction",
      reporting_category: category,
      ...{ amount, fee, net: amount - fee, currency: "usd" },
      created: Math.floor(Date.now() / 1_000),
      source: { id: "src_scripted", ...(intent === undefined ? {} : { payment_intent: intent }) },
    };
    this.movements.push(made);
    return made;
  }

  /** Answers `GET /v1/balance_transactions`, newest first. */
  report(asked: URLSearchParams): object {
    const [from, to] = [Number(asked.get("created[gte]")), Number(asked.get("created[lt]"))];
    const data = this.movements.filter(({ created }) => created >= from && created < to).toReversed();
    return { object: "list", has_more: false, data };
  }
}
