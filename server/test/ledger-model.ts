/** The expected result of a ledger operation: a value or the name of the refusal. */
export type Outcome = { value: unknown } | { refused: "insufficient_credit" | "conflict" | "wrong_call" };

type CreditKind = "top_up" | "bonus" | "test_credit" | "adjustment" | "write_off";
type ReversalKind = "refund" | "dispute" | "bonus";

/** Holds and keys are numbers. The key that charges a call has its hold's number. */
export type Operation =
  | { do: "hold"; hold: number; want: bigint; min: bigint }
  | { do: "extend"; hold: number; want: bigint }
  | { do: "post"; hold: number; charge: bigint }
  | { do: "void"; hold: number }
  | { do: "credit"; key: number; kind: CreditKind; amount: bigint }
  | { do: "reverse"; key: number; kind: ReversalKind; amount: bigint }
  | { do: "withdraw"; key: number; amount: bigint }
  | { do: "restore"; key: number; restored: { key: number } | { callOfHold: number } };

type Of<Do extends Operation["do"]> = Extract<Operation, { do: Do }>;

interface ModelHold {
  readonly want: bigint;
  readonly min: bigint;
  readonly amount: bigint;
  readonly state: "pending" | "posted" | "voided";
  readonly charged: bigint;
}

interface Posting {
  readonly kind: string;
  /** As requested. */
  readonly signed: bigint;
  /** As posted: a partly spent bonus is taken back in part. Zero means no entry. */
  readonly moved: bigint;
  readonly bonusMoved: bigint;
  readonly shortfall: bigint;
  /** Credits in these tests have no reference. */
  readonly reference: boolean;
  readonly restores: string | null;
}

export interface ModelEntry {
  readonly kind: string;
  readonly amount: bigint;
  readonly bonus: bigint;
}

const RESTORING: Readonly<Record<string, string>> = {
  call: "call_refund",
  refund: "refund_failed",
  withdrawal: "refund_failed",
  dispute: "dispute_won",
  bonus: "bonus",
};

/**
 * Reference model of one customer's account by the product rules, in memory and in plain steps. It has two purses, paid and
 * granted credit. With a debt, the paid purse is negative and the granted one empty.
 */
export class LedgerModel {
  paid = 0n;
  bonus = 0n;
  held = 0n;
  entries: readonly ModelEntry[] = [];
  #holds: ReadonlyMap<number, ModelHold> = new Map();
  #postings: ReadonlyMap<string, Posting> = new Map();

  get balance(): bigint {
    const total = this.paid + this.bonus;
    return total > this.held ? total : this.held;
  }
  get available(): bigint {
    return this.balance - this.held;
  }
  get debt(): bigint {
    return this.balance - this.paid - this.bonus;
  }
  get withdrawable(): bigint {
    return this.paid < this.available ? this.paid : this.available;
  }

  /** An independent copy. */
  copy(): LedgerModel {
    const copy = new LedgerModel();
    Object.assign(copy, { paid: this.paid, bonus: this.bonus, held: this.held, entries: this.entries });
    copy.#holds = this.#holds;
    copy.#postings = this.#postings;
    return copy;
  }

  /** A key that is equal for accounts with the same history and future behaviour. */
  fingerprint(): string {
    const facts = [
      this.paid,
      this.bonus,
      this.held,
      this.entries,
      [...this.#holds].toSorted(([a], [b]) => a - b),
      [...this.#postings].toSorted(([a], [b]) => (a < b ? -1 : 1)),
    ];
    return JSON.stringify(facts, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
  }

  apply(operation: Operation): Outcome {
    switch (operation.do) {
      case "hold":
        return this.#hold(operation);
      case "extend":
        return this.#extend(operation);
      case "post":
        return this.#post(operation);
      case "void":
        return this.#void(operation.hold);
      case "credit":
        return this.#credit(operation);
      case "reverse":
        return this.#reverse(operation);
      case "withdraw":
        return this.#withdraw(operation);
    }
    return this.#restore(operation);
  }

  #hold({ hold, want, min }: Of<"hold">): Outcome {
    if (min <= 0n || want < min) return { refused: "wrong_call" };
    const known = this.#holds.get(hold);
    if (known !== undefined) {
      if (known.want !== want || known.min !== min) return { refused: "conflict" };
      return { value: { heldMicros: known.amount } };
    }
    if (this.available < min) return { refused: "insufficient_credit" };
    const amount = this.available < want ? this.available : want;
    this.held += amount;
    this.#setHold(hold, { want, min, amount, state: "pending", charged: 0n });
    return { value: { heldMicros: amount } };
  }

  #extend({ hold, want }: Of<"extend">): Outcome {
    const known = this.#holds.get(hold);
    if (known === undefined) return { refused: "wrong_call" };
    if (known.state !== "pending") return { refused: "conflict" };
    const missing = want > known.amount ? want - known.amount : 0n;
    const added = missing < this.available ? missing : this.available;
    this.held += added;
    this.#setHold(hold, { ...known, amount: known.amount + added });
    return { value: { heldMicros: known.amount + added } };
  }

  #post({ hold, charge }: Of<"post">): Outcome {
    const known = this.#holds.get(hold);
    if (known === undefined) return { refused: "wrong_call" };
    if (known.state === "posted") return { value: { chargedMicros: known.charged } };
    if (known.state === "voided") return { refused: "conflict" };
    if (charge < 0n || charge > known.amount) return { refused: "wrong_call" };
    this.held -= known.amount;
    this.#setHold(hold, { ...known, state: "posted", charged: charge });
    if (charge > 0n) {
      const fromBonus = charge < this.bonus ? charge : this.bonus;
      this.#note(`call:${hold}`, { kind: "call", signed: -charge, moved: -charge, reference: true }, () => {
        this.bonus -= fromBonus;
        this.paid -= charge - fromBonus;
      });
    }
    return { value: { chargedMicros: charge } };
  }

  #void(hold: number): Outcome {
    const known = this.#holds.get(hold);
    if (known === undefined) return { refused: "wrong_call" };
    if (known.state === "posted") return { refused: "conflict" };
    if (known.state === "pending") {
      this.held -= known.amount;
      this.#setHold(hold, { ...known, state: "voided" });
    }
    return { value: undefined };
  }

  #credit({ key, kind, amount }: Of<"credit">): Outcome {
    if (amount <= 0n) return { refused: "wrong_call" };
    const known = this.#postings.get(String(key));
    if (known !== undefined) {
      const same = known.kind === kind && known.signed === amount && !known.reference;
      return same ? { value: { applied: false } } : { refused: "conflict" };
    }
    if (kind === "write_off" && amount > this.debt) return { refused: "wrong_call" };
    this.#note(String(key), { kind, signed: amount, moved: amount, reference: false }, () => {
      if (kind === "bonus") this.bonus += amount;
      else this.paid += amount;
    });
    return { value: { applied: true } };
  }

  #reverse({ key, kind, amount }: Of<"reverse">): Outcome {
    if (amount <= 0n) return { refused: "wrong_call" };
    const known = this.#postings.get(String(key));
    if (known !== undefined) {
      const same = known.kind === kind && known.signed === -amount && known.reference;
      return same ? { value: { applied: false, shortfallMicros: known.shortfall } } : { refused: "conflict" };
    }
    const debtBefore = this.debt;
    const taken = kind === "bonus" && amount > this.bonus ? this.bonus : amount;
    const posting = this.#note(String(key), { kind, signed: -amount, moved: -taken, reference: true }, () => {
      if (kind === "bonus") this.bonus -= taken;
      else this.paid -= taken;
    });
    const shortfall = kind === "bonus" ? amount - taken : this.debt - debtBefore;
    this.#setPosting(String(key), { ...posting, shortfall });
    return { value: { applied: true, shortfallMicros: shortfall } };
  }

  #withdraw({ key, amount }: Of<"withdraw">): Outcome {
    if (amount <= 0n) return { refused: "wrong_call" };
    const known = this.#postings.get(String(key));
    if (known !== undefined) {
      const same = known.kind === "withdrawal" && known.signed === -amount;
      return same ? { value: { applied: false } } : { refused: "conflict" };
    }
    if (amount > this.withdrawable) return { refused: "insufficient_credit" };
    this.#note(String(key), { kind: "withdrawal", signed: -amount, moved: -amount, reference: true }, () => {
      this.paid -= amount;
    });
    return { value: { applied: true } };
  }

  #restore({ key, restored }: Of<"restore">): Outcome {
    const restoredKey = "key" in restored ? String(restored.key) : `call:${restored.callOfHold}`;
    const taken = this.#postings.get(restoredKey);
    const kind = taken && RESTORING[taken.kind];
    if (taken === undefined || kind === undefined || taken.moved > 0n) return { refused: "wrong_call" };
    if (taken.moved === 0n) return { value: { applied: false } };
    const known = this.#postings.get(String(key));
    if (known?.restores === restoredKey) return { value: { applied: false } };
    const givenBack = [...this.#postings.values()].some((one) => one.restores === restoredKey);
    if (known !== undefined || givenBack) return { refused: "conflict" };
    const amount = -taken.moved;
    const posting = this.#note(String(key), { kind, signed: amount, moved: amount, reference: true }, () => {
      this.bonus -= taken.bonusMoved;
      this.paid += amount + taken.bonusMoved;
    });
    this.#setPosting(String(key), { ...posting, restores: restoredKey });
    return { value: { applied: true } };
  }

  /** Posts an amount, covers a negative paid purse from the granted one, and records both. */
  #note(key: string, of: Pick<Posting, "kind" | "signed" | "moved" | "reference">, move: () => void): Posting {
    const before = this.bonus;
    move();
    if (this.paid < 0n) {
      const covered = -this.paid < this.bonus ? -this.paid : this.bonus;
      this.paid += covered;
      this.bonus -= covered;
    }
    const posting = { ...of, bonusMoved: this.bonus - before, shortfall: 0n, restores: null };
    this.#setPosting(key, posting);
    if (of.moved !== 0n) this.entries = [...this.entries, { kind: of.kind, amount: of.moved, bonus: posting.bonusMoved }];
    return posting;
  }

  #setHold(hold: number, value: ModelHold): void {
    this.#holds = new Map(this.#holds).set(hold, value);
  }

  #setPosting(key: string, value: Posting): void {
    this.#postings = new Map(this.#postings).set(key, value);
  }
}
