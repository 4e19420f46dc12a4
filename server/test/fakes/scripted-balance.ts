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
  exchange_rate: number | null;
  source: Source;
}

/** What moved the balance: a charge says whose payment it is, a refund or dispute may not. */
interface Source {
  id: string;
  object?: string;
  payment_intent?: string;
  amount?: number;
  currency?: string;
  metadata?: Record<string, string>;
}

/** The payment provider's balance, whose movements a test may change. */
export class ScriptedBalance {
  readonly movements: Movement[] = [];
  /** The account's currency, and how much of it a cent becomes. */
  settlesIn = { currency: "usd", rate: 1 };

  /** @param cents of the payer or, for what moves no payment, of the account's currency */
  move(
    category: string,
    cents: number,
    { intent, fee: feeCents = 0, metadata }: { intent?: string; fee?: number; metadata?: Record<string, string> } = {},
  ): Movement {
    const { currency, rate } = this.settlesIn;
    const converts = intent !== undefined && currency !== "usd";
    const [amount, fee] = converts ? [Math.round(cents * rate), Math.round(feeCents * rate)] : [cents, feeCents];
    const object = category.startsWith("charge") ? "charge" : (category.split("_")[0] ?? "");
    const payment = intent === undefined ? {} : { payment_intent: intent, amount: Math.abs(cents), currency: "usd" };
    const made: Movement = {
      id: `txn_${randomBytes(12).toString("hex")}`,
      object: "balance_transaction",
      reporting_category: category,
      ...{ amount, fee, net: amount - fee, currency },
      created: Math.floor(Date.now() / 1_000),
      exchange_rate: converts ? rate : null,
      source: { id: "src_scripted", object, ...payment, ...(metadata === undefined ? {} : { metadata }) },
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
