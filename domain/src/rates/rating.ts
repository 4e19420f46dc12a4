import { assertPrefix, DeckRows, type DeckRow } from "./deck-rows.ts";

/** A deck, indexed for look-ups. */
export interface RateTable<Row extends DeckRow = DeckRow> {
  readonly rows: DeckRows<Row>;
  /**
   * A trie with 11 numbers per node: what follows each digit, then what ends at the node itself. Prefixes without longer ones, which are
   * most, have no node: 0 is nothing, a positive number is the next node, and a negative one is `leafOf` what ends there.
   */
  readonly nodes: Int32Array;
}

const NODE_SIZE = 11;
/** Room for nodes at first, and the factor by which it grows. */
const FIRST_NODES = 1_024;
const GROWTH = 1.5;
const ROW_SLOT = 10;
/** Follows every prefix without a node. */
const EMPTY_NODE = NODE_SIZE;
const NOT_SOLD = -1;
const DIGIT_ZERO = 48;
const PLUS = 43;

/** What ends at a prefix (`NOT_SOLD` or 1 + the index of a row) as a negative number, and back. */
function leafOf(value: number): number {
  return -value - 2;
}

/** Builds the trie of a deck, row by row, so that a large deck can be read in parts. */
export class RateTableBuilder<Row extends DeckRow> {
  readonly #rows = new DeckRows<Row>();
  readonly #trie = new Trie();

  /** @throws RangeError if the prefix is not 1 to 15 digits or occurs twice */
  add(row: Row): void {
    this.#rows.add(row);
    this.#trie.put(row.prefix, this.#rows.length);
  }

  /** Adds a prefix whose numbers are not sold even if a shorter prefix has a price. @throws RangeError as `add` */
  block(prefix: string): void {
    assertPrefix(prefix);
    this.#trie.put(prefix, NOT_SOLD);
  }

  build(): RateTable<Row> {
    return { rows: this.#rows, nodes: this.#trie.nodes() };
  }
}

class Trie {
  #nodes = new Int32Array(FIRST_NODES * NODE_SIZE);
  #used = EMPTY_NODE + NODE_SIZE;

  nodes(): Int32Array {
    return this.#nodes.subarray(0, this.#used);
  }

  /**
   * @param value 1 + the index of the row, or `NOT_SOLD`
   * @throws RangeError if the prefix occurs twice
   */
  put(prefix: string, value: number): void {
    this.#makeRoom(prefix.length);
    const nodes = this.#nodes;
    const last = prefix.length - 1;
    let node = 0;
    for (let i = 0; i < last; i++) {
      const slot = node + prefix.charCodeAt(i) - DIGIT_ZERO;
      const next = nodes[slot] as number;
      if (next <= 0) {
        nodes[slot] = this.#used;
        if (next < 0) nodes[this.#used + ROW_SLOT] = leafOf(next);
        this.#used += NODE_SIZE;
      }
      node = nodes[slot] as number;
    }
    const slot = node + prefix.charCodeAt(last) - DIGIT_ZERO;
    const next = nodes[slot] as number;
    if (next < 0 || (next > 0 && nodes[next + ROW_SLOT] !== 0)) throw new RangeError(`The deck has the prefix ${prefix} twice.`);
    if (next > 0) nodes[next + ROW_SLOT] = value;
    else nodes[slot] = leafOf(value);
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
export function buildRateTable<Row extends DeckRow>(rows: DeckRows<Row>, blocks: Iterable<string> = []): RateTable<Row> {
  const trie = new Trie();
  for (let index = 0; index < rows.length; index += 1) trie.put(rows.prefixAt(index), index + 1);
  for (const block of blocks) {
    assertPrefix(block);
    trie.put(block, NOT_SOLD);
  }
  return { rows, nodes: trie.nodes() };
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
    const next = nodes[node + digit] as number;
    if (next === 0) break;
    if (next < 0) {
      found = leafOf(next);
      node = EMPTY_NODE;
      continue;
    }
    node = next;
    const row = nodes[node + ROW_SLOT] as number;
    if (row !== 0) found = row;
  }
  return found <= 0 ? null : rows.at(found - 1);
}
