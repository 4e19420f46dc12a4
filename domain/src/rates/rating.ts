/** One price of a deck. It applies to numbers whose longest prefix or block in the deck is `prefix`. */
export interface DeckRow {
  /** 1 to 15 digits of an E.164 number, without the plus. */
  readonly prefix: string;
  readonly description: string;
  readonly countryCode: string;
  readonly numberType: string;
  readonly ratePerMinuteMicros: bigint;
  readonly firstIntervalSeconds: number;
  readonly nextIntervalSeconds: number;
}

/** A deck, indexed for look-ups. */
export interface RateTable<Row extends DeckRow = DeckRow> {
  readonly rows: readonly Row[];
  /** A trie with 11 numbers per node: the child of each digit (0: none), then 1 + the index of the row that ends here (0: none, -1: not sold). */
  readonly nodes: Int32Array;
}

const NODE_SIZE = 11;
/** Room for nodes at first, and the factor by which it grows. */
const FIRST_NODES = 1_024;
const GROWTH = 1.5;
const ROW_SLOT = 10;
const NOT_SOLD = -1;
const PREFIX = /^\d{1,15}$/;
const DIGIT_ZERO = 48;
const PLUS = 43;

/** Builds the trie of a deck, row by row, so that a large deck can be read in parts. */
export class RateTableBuilder<Row extends DeckRow> {
  readonly #rows: Row[] = [];
  #nodes = new Int32Array(FIRST_NODES * NODE_SIZE);
  #used = NODE_SIZE;

  /** @throws RangeError if the prefix is not 1 to 15 digits or occurs twice */
  add(row: Row): void {
    this.#rows.push(row);
    this.#put(row.prefix, this.#rows.length);
  }

  /** Adds a prefix whose numbers are not sold even if a shorter prefix has a price. @throws RangeError as `add` */
  block(prefix: string): void {
    this.#put(prefix, NOT_SOLD);
  }

  build(): RateTable<Row> {
    return { rows: this.#rows, nodes: this.#nodes.subarray(0, this.#used) };
  }

  #put(prefix: string, value: number): void {
    if (!PREFIX.test(prefix)) throw new RangeError(`A deck prefix must be 1 to 15 digits: "${prefix}".`);
    this.#makeRoom(prefix.length);
    const nodes = this.#nodes;
    let node = 0;
    for (let i = 0; i < prefix.length; i++) {
      const slot = node + prefix.charCodeAt(i) - DIGIT_ZERO;
      if (nodes[slot] === 0) {
        nodes[slot] = this.#used;
        this.#used += NODE_SIZE;
      }
      node = nodes[slot] as number;
    }
    if (nodes[node + ROW_SLOT] !== 0) throw new RangeError(`The deck has the prefix ${prefix} twice.`);
    nodes[node + ROW_SLOT] = value;
  }

  #makeRoom(digits: number): void {
    const needed = this.#used + digits * NODE_SIZE;
    if (needed <= this.#nodes.length) return;
    const larger = new Int32Array(Math.max(needed, Math.ceil(this.#nodes.length * GROWTH)));
    larger.set(this.#nodes);
    this.#nodes = larger;
  }
}

/**
 * Builds the trie of a deck.
 * @param blocks prefixes whose numbers are not sold even if a shorter prefix has a price
 * @throws RangeError if a prefix is not 1 to 15 digits or occurs twice
 */
export function buildRateTable<Row extends DeckRow>(rows: Iterable<Row>, blocks: Iterable<string> = []): RateTable<Row> {
  const builder = new RateTableBuilder<Row>();
  for (const row of rows) builder.add(row);
  for (const block of blocks) builder.block(block);
  return builder.build();
}

/**
 * The row of a number's longest prefix; null if the deck has none or blocks the number.
 * @param e164 a number or its first digits, with or without a leading plus
 */
export function matchPrefix<Row extends DeckRow>(table: RateTable<Row>, e164: string): Row | null {
  const { nodes, rows } = table;
  let found = 0;
  let node = 0;
  for (let i = e164.charCodeAt(0) === PLUS ? 1 : 0; i < e164.length; i++) {
    const digit = e164.charCodeAt(i) - DIGIT_ZERO;
    if (digit < 0 || digit > 9) return null;
    node = nodes[node + digit] as number;
    if (node === 0) break;
    const row = nodes[node + ROW_SLOT] as number;
    if (row !== 0) found = row;
  }
  return found <= 0 ? null : (rows[found - 1] as Row);
}
