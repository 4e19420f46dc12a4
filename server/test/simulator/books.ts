import { LedgerModel, type Operation, type Outcome } from "../ledger-model.ts";

/** A business event that moved money, with its posting key. */
export interface Booked {
  readonly key: string;
  readonly what: Operation["do"];
  readonly amountMicros: bigint;
}

/**
 * A customer's account: the model that `ledger.model.test.ts` proves equal to the SQL functions, with the service's long
 * keys instead of the model's numbers, and a list of all postings.
 */
export class Books {
  readonly account = new LedgerModel();
  readonly booked: Booked[] = [];
  readonly #numbers = new Map<string, number>();

  hold(callId: string, wantMicros: bigint, leastMicros: bigint): bigint | null {
    const outcome = this.account.apply({ do: "hold", hold: this.#number(callId), want: wantMicros, min: leastMicros });
    return "refused" in outcome ? null : (outcome.value as { heldMicros: bigint }).heldMicros;
  }

  extend(callId: string, wantMicros: bigint): bigint {
    const outcome = this.#done({ do: "extend", hold: this.#number(callId), want: wantMicros });
    return (outcome as { heldMicros: bigint }).heldMicros;
  }

  post(callId: string, chargeMicros: bigint): void {
    this.#book(`call:${callId}`, { do: "post", hold: this.#number(callId), charge: chargeMicros });
  }

  void(callId: string): void {
    this.#done({ do: "void", hold: this.#number(callId) });
  }

  credit(key: string, amountMicros: bigint, kind: "top_up" | "bonus" = "top_up"): void {
    this.#book(key, { do: "credit", key: this.#number(key), kind, amount: amountMicros });
  }

  reverse(key: string, amountMicros: bigint, kind: "refund" | "dispute" | "bonus"): void {
    this.#book(key, { do: "reverse", key: this.#number(key), kind, amount: amountMicros });
  }

  /** False if there is not enough to withdraw. */
  withdraw(key: string, amountMicros: bigint): boolean {
    const outcome = this.#apply(key, { do: "withdraw", key: this.#number(key), amount: amountMicros });
    return !("refused" in outcome);
  }

  restore(key: string, restoredKey: string): void {
    this.#book(key, { do: "restore", key: this.#number(key), restored: { key: this.#number(restoredKey) } });
  }

  /** Bypasses all rules, as a bug would. */
  forceCharge(key: string, amountMicros: bigint): void {
    this.account.paid -= amountMicros;
    this.account.entries = [...this.account.entries, { kind: "call", amount: -amountMicros, bonus: 0n }];
    this.booked.push({ key, what: "post", amountMicros: -amountMicros });
  }

  /** Holds by a stale balance, as a bug would. */
  holdUnchecked(callId: string, amountMicros: bigint): void {
    if (this.hold(callId, amountMicros, amountMicros) === null) this.account.held += amountMicros;
  }

  #number(key: string): number {
    const known = this.#numbers.get(key) ?? this.#numbers.size + 1;
    this.#numbers.set(key, known);
    return known;
  }

  #book(key: string, operation: Operation): void {
    const outcome = this.#apply(key, operation);
    if ("refused" in outcome) throw new Error(`The ledger refused ${operation.do} of ${key}: ${outcome.refused}`);
  }

  #apply(key: string, operation: Operation): Outcome {
    const before = this.account.entries.length;
    const outcome = this.account.apply(operation);
    const entry = this.account.entries[before];
    if (entry !== undefined) this.booked.push({ key, what: operation.do, amountMicros: entry.amount });
    return outcome;
  }

  #done(operation: Operation): unknown {
    const outcome = this.account.apply(operation);
    if ("refused" in outcome) throw new Error(`The ledger refused ${operation.do}: ${outcome.refused}`);
    return outcome.value;
  }
}
