import * as fc from "fast-check";
import { hostileText } from "./hostile-tokens.ts";

type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

const DEEP = [10, 100, 2_000];

const hostileValue: fc.Arbitrary<Json> = fc.oneof(
  hostileText,
  fc.constantFrom<Json>(null, true, false, 0, -1, 1e308, -0, 2 ** 53, 0.1, [], {}, [[]], [null]),
  fc.constantFrom(...DEEP).map((depth) => Array.from({ length: depth }).reduce<Json>((inner) => [inner], "deep")),
  fc.jsonValue({ maxDepth: 2 }) as fc.Arbitrary<Json>,
);

interface Change {
  readonly kind: number;
  readonly at: number;
  readonly value: Json;
  readonly key: string;
}
const change: fc.Arbitrary<Change> = fc.record({ kind: fc.nat(3), at: fc.nat(), value: hostileValue, key: hostileText });

/** Applies up to four changes of values and keys to valid JSON, and sometimes changes its text. */
export function mutatedJson(corpus: readonly Json[]): fc.Arbitrary<string> {
  return fc
    .record({
      base: fc.constantFrom(...corpus),
      changes: fc.array(change, { maxLength: 4 }),
      cut: fc.option(fc.nat(), { freq: 15 }),
      inserted: fc.option(fc.tuple(fc.nat(), hostileText), { freq: 15 }),
    })
    .map(({ base, changes, cut, inserted }) => {
      let text = JSON.stringify(changes.reduce(applyChange, base));
      if (inserted !== null)
        text = text.slice(0, inserted[0] % text.length) + inserted[1] + text.slice(inserted[0] % text.length);
      return cut === null ? text : text.slice(0, cut % (text.length + 1));
    });
}

/** Changes one node below the root, or replaces the root if there is none. */
function applyChange(root: Json, { kind, at, value, key }: Change): Json {
  const places = placesOf(root);
  const place = places[at % Math.max(1, places.length)];
  if (place === undefined) return value;
  return rebuild(root, place, (entries, index) => {
    const [name] = entries[index] ?? ["", null];
    if (kind === 0) return entries.toSpliced(index, 1);
    if (kind === 1) return entries.with(index, [key, entries[index]?.[1] ?? null]);
    if (kind === 2) return [...entries, [key, value]];
    return entries.with(index, [name, value]);
  });
}

type Place = readonly number[];
const MAX_PLACES = 200;

/** Entry indices from the root. */
function placesOf(value: Json, above: Place = []): Place[] {
  if (typeof value !== "object" || value === null || above.length > 8) return [];
  return Object.values(value)
    .flatMap((inner, index) => [[...above, index], ...placesOf(inner, [...above, index])])
    .slice(0, MAX_PLACES);
}

type Entry = [string, Json];

function rebuild(value: Json, place: Place, edit: (entries: Entry[], index: number) => Entry[]): Json {
  if (typeof value !== "object" || value === null) return value;
  const [index = 0, ...below] = place;
  const entries = Object.entries(value);
  const entry = entries[index];
  const changed =
    below.length === 0 || entry === undefined
      ? edit(entries, index)
      : entries.with(index, [entry[0], rebuild(entry[1], below, edit)]);
  return Array.isArray(value) ? changed.map(([, inner]) => inner) : Object.fromEntries(changed);
}
