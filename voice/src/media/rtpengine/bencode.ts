/** A value to encode. */
type Bencoded = string | number | Buffer | readonly Bencoded[] | BencodedDictionary;
export interface BencodedDictionary {
  readonly [key: string]: Bencoded;
}
/** A decoded value: every string is text. */
export type BencodedValue = string | number | readonly BencodedValue[] | { readonly [key: string]: BencodedValue };

/** More than any response of rtpengine has. */
const MAX_DEPTH = 16;

/** Encodes as BitTorrent does (BEP 3): string lengths and key order by bytes. */
export function bencode(value: Bencoded): Buffer {
  const parts: Buffer[] = [];
  write(value, parts);
  return Buffer.concat(parts);
}

/** @throws RangeError for anything that is not exactly one bencoded value */
export function bdecode(bytes: Buffer): BencodedValue {
  const reader = new Reader(bytes);
  const value = reader.value(0);
  if (!reader.atEnd) throw new RangeError("There is more than one value.");
  return value;
}

function write(value: Bencoded, parts: Buffer[]): void {
  if (typeof value === "string") return write(Buffer.from(value), parts);
  if (typeof value === "number") {
    if (!Number.isSafeInteger(value)) throw new RangeError("Only integers can be written.");
    parts.push(Buffer.from(`i${value}e`));
  } else if (Buffer.isBuffer(value)) parts.push(Buffer.from(`${value.length}:`), value);
  else if (isList(value)) {
    parts.push(Buffer.from("l"));
    for (const one of value) write(one, parts);
    parts.push(Buffer.from("e"));
  } else {
    parts.push(Buffer.from("d"));
    const entries = Object.entries(value).map(([key, one]) => [Buffer.from(key), one] as const);
    for (const [key, one] of entries.toSorted(([a], [b]) => Buffer.compare(a, b))) {
      write(key, parts);
      write(one, parts);
    }
    parts.push(Buffer.from("e"));
  }
}

function isList(value: Bencoded): value is readonly Bencoded[] {
  return Array.isArray(value);
}

class Reader {
  readonly #bytes: Buffer;
  #at = 0;

  constructor(bytes: Buffer) {
    this.#bytes = bytes;
  }

  get atEnd(): boolean {
    return this.#at === this.#bytes.length;
  }

  value(depth: number): BencodedValue {
    if (depth > MAX_DEPTH) throw new RangeError("The value is nested too deeply.");
    const kind = String.fromCharCode(this.#bytes[this.#at] ?? 0);
    if (kind === "i") return this.#number();
    if (kind === "l") return this.#list(depth);
    if (kind === "d") return this.#dictionary(depth);
    return this.#text();
  }

  #number(): number {
    const digits = this.#upTo("e", this.#at + 1);
    if (!/^(0|-?[1-9]\d*)$/.test(digits)) throw new RangeError("This is not a number.");
    return Number(digits);
  }

  #text(): string {
    const digits = this.#upTo(":", this.#at);
    if (!/^(0|[1-9]\d{0,8})$/.test(digits)) throw new RangeError("This is not a bencoded value.");
    const end = this.#at + Number(digits);
    if (end > this.#bytes.length) throw new RangeError("A string exceeds the data.");
    const text = this.#bytes.toString("utf8", this.#at, end);
    this.#at = end;
    return text;
  }

  #list(depth: number): readonly BencodedValue[] {
    const list: BencodedValue[] = [];
    this.#at += 1;
    while (!this.#takeEnd()) list.push(this.value(depth + 1));
    return list;
  }

  #dictionary(depth: number): { readonly [key: string]: BencodedValue } {
    const entries: [string, BencodedValue][] = [];
    this.#at += 1;
    while (!this.#takeEnd()) entries.push([this.#text(), this.value(depth + 1)]);
    // Assignment would lose a key named "__proto__".
    return Object.fromEntries(entries);
  }

  #takeEnd(): boolean {
    if (this.#bytes[this.#at] !== "e".charCodeAt(0)) return false;
    this.#at += 1;
    return true;
  }

  #upTo(end: string, from: number): string {
    const to = this.#bytes.indexOf(end, from);
    if (to === -1) throw new RangeError("The value is truncated.");
    this.#at = to + 1;
    return this.#bytes.toString("latin1", from, to);
  }
}
