/** What a ledger operation must answer, told from outside: a value, or the name of the refusal. */
export type Outcome = { value: unknown } | { refused: "insufficient_credit" | "conflict" | "wrong_call" };

export type Operation =
  | { do: "hold"; hold: number; want: bigint; least: bigint }
  | { do: "post"; hold: number; charge: bigint }
  | { do: "void"; hold: number }
  | { do: "credit"; key: number; kind: "top_up" | "bonus" | "test_credit" | "adjustment"; amount: bigint }
  | { do: "reverse"; key: number; kind: "refund" | "dispute" | "bonus"; amount: bigint };

type ModelHold = { want: bigint; least: bigint; amount: bigint; state: "pending" | "posted" | "voided"; charged: bigint };

/** One customer's account as the product rules describe it, in plain steps and in memory: the measure for the real one. */
export class LedgerModel {
  balance = 0n;
  held = 0n;
  debt = 0n;
  readonly entries: bigint[] = [];
  readonly #holds = new Map<number, ModelHold>();
  readonly #keys = new Map<number, { kind: string; signed: bigint; shortfall: bigint }>();

  apply(operation: Operation): Outcome {
    switch (operation.do) {
      case "hold":
        return this.#hold(operation);
      case "post":
        return this.#post(operation);
      case "void":
        return this.#void(operation.hold);
      case "credit":
        return this.#credit(operation);
    }
    return this.#reverse(operation);
  }

  #hold({ hold, want, least }: Extract<Operation, { do: "hold" }>): Outcome {
    if (least <= 0n || want < least) return { refused: "wrong_call" };
    const known = this.#holds.get(hold);
    if (known !== undefined) {
      if (known.want !== want || known.least !== least) return { refused: "conflict" };
      return { value: { heldMicros: known.amount } };
    }
    const available = this.balance - this.held;
    if (available < least) return { refused: "insufficient_credit" };
    const amount = available < want ? available : want;
    this.held += amount;
    this.#holds.set(hold, { want, least, amount, state: "pending", charged: 0n });
    return { value: { heldMicros: amount } };
  }

  #post({ hold, charge }: Extract<Operation, { do: "post" }>): Outcome {
    const known = this.#holds.get(hold);
    if (known === undefined) return { refused: "wrong_call" };
    if (known.state === "posted") return { value: { chargedMicros: known.charged } };
    if (known.state === "voided") return { refused: "conflict" };
    if (charge < 0n || charge > known.amount) return { refused: "wrong_call" };
    known.state = "posted";
    known.charged = charge;
    this.held -= known.amount;
    this.balance -= charge;
    if (charge > 0n) this.entries.push(-charge);
    this.#repay();
    return { value: { chargedMicros: charge } };
  }

  #void(hold: number): Outcome {
    const known = this.#holds.get(hold);
    if (known === undefined) return { refused: "wrong_call" };
    if (known.state === "posted") return { refused: "conflict" };
    if (known.state === "pending") {
      known.state = "voided";
      this.held -= known.amount;
      this.#repay();
    }
    return { value: undefined };
  }

  #credit({ key, kind, amount }: Extract<Operation, { do: "credit" }>): Outcome {
    if (amount <= 0n) return { refused: "wrong_call" };
    const known = this.#keys.get(key);
    if (known !== undefined) {
      if (known.kind !== kind || known.signed !== amount) return { refused: "conflict" };
      return { value: { applied: false } };
    }
    this.#keys.set(key, { kind, signed: amount, shortfall: 0n });
    this.entries.push(amount);
    this.balance += amount;
    this.#repay();
    return { value: { applied: true } };
  }

  #reverse({ key, kind, amount }: Extract<Operation, { do: "reverse" }>): Outcome {
    if (amount <= 0n) return { refused: "wrong_call" };
    const known = this.#keys.get(key);
    if (known !== undefined) {
      if (known.kind !== kind || known.signed !== -amount) return { refused: "conflict" };
      return { value: { applied: false, shortfallMicros: known.shortfall } };
    }
    const available = this.balance - this.held;
    const taken = available < amount ? available : amount;
    const shortfall = amount - taken;
    this.balance -= taken;
    this.debt += shortfall;
    this.entries.push(-amount);
    this.#keys.set(key, { kind, signed: -amount, shortfall });
    return { value: { applied: true, shortfallMicros: shortfall } };
  }

  #repay(): void {
    const available = this.balance - this.held;
    const paid = available < this.debt ? available : this.debt;
    this.balance -= paid;
    this.debt -= paid;
  }
}
