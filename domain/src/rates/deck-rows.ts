import type { BillingRate } from "../calls/charge.ts";

/** Which numbers a row prices. */
interface DeckRange {
  readonly description: string;
  readonly countryCode: string;
  readonly numberType: string;
}

/** One price of a deck. It applies to numbers whose longest prefix or block in the deck is `prefix`. */
export interface DeckRow extends DeckRange, BillingRate {
  /** 1 to 15 digits of an E.164 number, without the plus. */
  readonly prefix: string;
}

/** A row without its prefix and range. */
type Terms<Row extends DeckRow> = Omit<Row, "prefix" | keyof DeckRange>;

const PREFIX = /^\d{1,15}$/;
const FIRST_ROWS = 1_024;
const GROWTH = 1.5;
/** Keeps the leading zeros of a prefix that is stored as a number. 15 digits and this one are exact in a double. */
const LEADING_ONE = "1";

/**
 * The rows of a deck, with or without costs, in the order in which they were added. A row takes 16 bytes, because a million rows share a few
 * thousand ranges and terms. Each look-up makes a new object.
 */
export class DeckRows<Row extends DeckRow> implements Iterable<Row> {
  #prefixes = new Float64Array(FIRST_ROWS);
  #rangeOf = new Uint32Array(FIRST_ROWS);
  #termsOf = new Uint32Array(FIRST_ROWS);
  #length = 0;
  readonly #ranges = new Shared<DeckRange>();
  readonly #terms = new Shared<Terms<Row>>();

  static from<Row extends DeckRow>(rows: Iterable<Row>): DeckRows<Row> {
    const made = new DeckRows<Row>();
    for (const row of rows) made.add(row);
    return made;
  }

  get length(): number {
    return this.#length;
  }

  /** @throws RangeError if the prefix is not 1 to 15 digits */
  add({ prefix, description, countryCode, numberType, ...terms }: Row): void {
    assertPrefix(prefix);
    const index = this.#length;
    if (index === this.#prefixes.length) this.#grow();
    this.#prefixes[index] = Number(LEADING_ONE + prefix);
    const range = { description, countryCode, numberType };
    this.#rangeOf[index] = this.#ranges.indexOf(`${countryCode} ${numberType} ${description}`, range);
    this.#termsOf[index] = this.#terms.indexOf(keyOf(terms), terms);
    this.#length += 1;
  }

  prefixAt(index: number): string {
    return String(this.#prefixes[index]).slice(LEADING_ONE.length);
  }

  /** @param index below `length` */
  at(index: number): Row {
    const range = this.#ranges.values[this.#rangeOf[index] as number] as DeckRange;
    const terms = this.#terms.values[this.#termsOf[index] as number] as Terms<Row>;
    return { prefix: this.prefixAt(index), ...range, ...terms } as Row;
  }

  /** The rows from one index to before another. */
  slice(from: number, to: number): Row[] {
    const end = Math.min(to, this.#length);
    return Array.from({ length: Math.max(0, end - from) }, (_, offset) => this.at(from + offset));
  }

  *[Symbol.iterator](): Generator<Row> {
    for (let index = 0; index < this.#length; index += 1) yield this.at(index);
  }

  /** The countries of all rows. */
  countries(): ReadonlySet<string> {
    return new Set(this.#ranges.values.map(({ countryCode }) => countryCode));
  }

  /** The rows of a country. */
  ofCountry(countryCode: string): Row[] {
    const matches = this.#ranges.values.map((range) => range.countryCode === countryCode);
    const found: Row[] = [];
    for (let index = 0; index < this.#length; index += 1)
      if (matches[this.#rangeOf[index] as number] === true) found.push(this.at(index));
    return found;
  }

  /** The prefixes of the rows whose terms pass a test, which is made once for equal terms. */
  prefixesWhere(isSuch: (terms: Terms<Row>) => boolean): string[] {
    const matches = this.#terms.values.map((terms) => isSuch(terms));
    const found: string[] = [];
    for (let index = 0; index < this.#length; index += 1)
      if (matches[this.#termsOf[index] as number] === true) found.push(this.prefixAt(index));
    return found;
  }

  #grow(): void {
    const room = Math.ceil(this.#prefixes.length * GROWTH);
    this.#prefixes = larger(new Float64Array(room), this.#prefixes);
    this.#rangeOf = larger(new Uint32Array(room), this.#rangeOf);
    this.#termsOf = larger(new Uint32Array(room), this.#termsOf);
  }
}

/** @throws RangeError */
export function assertPrefix(prefix: string): void {
  if (!PREFIX.test(prefix)) throw new RangeError(`A deck prefix must be 1 to 15 digits: "${prefix}".`);
}

/** Different values by their keys, each stored once. */
class Shared<Value> {
  readonly values: Value[] = [];
  readonly #places = new Map<string, number>();

  indexOf(key: string, value: Value): number {
    const known = this.#places.get(key);
    if (known !== undefined) return known;
    this.#places.set(key, this.values.length);
    return this.values.push(value) - 1;
  }
}

function keyOf({ cost, ...sale }: BillingRate & { readonly cost?: BillingRate }): string {
  return cost === undefined ? rateKey(sale) : `${rateKey(sale)} ${rateKey(cost)}`;
}

function rateKey({ ratePerMinuteMicros, firstIntervalSeconds, nextIntervalSeconds }: BillingRate): string {
  return `${ratePerMinuteMicros}/${firstIntervalSeconds}/${nextIntervalSeconds}`;
}

function larger<List extends Float64Array | Uint32Array>(room: List, filled: List): List {
  room.set(filled);
  return room;
}
