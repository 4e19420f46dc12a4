/** One price of a deck: every number that begins with `prefix` and with no longer prefix or block of the same deck. */
export interface DeckRow {
  /** Digits of an E.164 number without the plus, 1 to 15 of them. */
  readonly prefix: string;
  readonly description: string;
  readonly countryCode: string;
  readonly numberType: string;
  readonly ratePerMinuteMicros: bigint;
  readonly firstIntervalSeconds: number;
  readonly nextIntervalSeconds: number;
}

/** A deck indexed for look-ups. */
export interface RateTable<Row extends DeckRow = DeckRow> {
  readonly rows: readonly Row[];
  /** A trie, 11 numbers a node: the nodes of the ten digits (0: none), then the row that ends here plus 1 (0: none, -1: not sold). */
  readonly nodes: Int32Array;
}

const NODE_SIZE = 11;
const ROW_SLOT = 10;
const NOT_SOLD = -1;
const PREFIX = /^\d{1,15}$/;
const DIGIT_ZERO = 48;
const PLUS = 43;

/**
 * Builds the trie of a deck.
 * @param blocks prefixes whose numbers are not sold, although a shorter prefix has a price
 * @throws RangeError when a prefix is not made of 1 to 15 digits or occurs twice.
 */
export function buildRateTable<Row extends DeckRow>(rows: readonly Row[], blocks: readonly string[] = []): RateTable<Row> {
  const digits = rows.reduce((sum, row) => sum + row.prefix.length, 0) + blocks.reduce((sum, block) => sum + block.length, 0);
  const nodes = new Int32Array((digits + 1) * NODE_SIZE);
  let used = NODE_SIZE;
  const put = (prefix: string, value: number): void => {
    if (!PREFIX.test(prefix)) throw new RangeError(`A deck prefix must be 1 to 15 digits: "${prefix}".`);
    let node = 0;
    for (let i = 0; i < prefix.length; i++) {
      const slot = node + prefix.charCodeAt(i) - DIGIT_ZERO;
      if (nodes[slot] === 0) {
        nodes[slot] = used;
        used += NODE_SIZE;
      }
      node = nodes[slot] as number;
    }
    if (nodes[node + ROW_SLOT] !== 0) throw new RangeError(`The deck has the prefix ${prefix} twice.`);
    nodes[node + ROW_SLOT] = value;
  };
  for (const [index, row] of rows.entries()) put(row.prefix, index + 1);
  for (const block of blocks) put(block, NOT_SOLD);
  return { rows, nodes: nodes.slice(0, used) };
}

/**
 * The row of the longest prefix of a number, or null when the deck has none for it or blocks it.
 * @param e164 digits with or without a leading plus; also the first digits of a number.
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
