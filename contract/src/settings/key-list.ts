/** A setting with several values. The first is used; the others are only accepted, so that a key can be replaced while programs run. */
export type KeyList<Key> = readonly [Key, ...Key[]];

/** Reads values with commas between them. @param parse of one value; its errors pass through */
export function readKeyList<Key>(text: string, parse: (value: string) => Key): KeyList<Key> {
  const [first = "", ...others] = text.split(",").map((value) => value.trim());
  return [parse(first), ...others.map(parse)];
}
