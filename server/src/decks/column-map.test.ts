import { afterEach, beforeEach, expect, test } from "vitest";
import type { ImportOrder } from "./import-deck.ts";
import { DeckWorld } from "../../test/worlds/deck-world.ts";
import { columnMap } from "./decks.ts";

const ROW = "44,0.02,60/60,UK,0.1";
const HEADER = "Ziele,Tarif,Takt,Name,Connect Fee";
const MEANINGS = ["Ziele=prefix", "Tarif=price", "Takt=increments", "Connect Fee=ignore"];

let world: DeckWorld;
beforeEach(async () => {
  world = await DeckWorld.start("live");
});
afterEach(() => world.close());

const bring = (header: string, row: string, order: Partial<ImportOrder> = {}) => world.bringFile([header, row], order);

test("what an operator says about a carrier's columns counts for its next file", async () => {
  await expect(bring(HEADER, ROW)).rejects.toThrow("No row names the columns.");
  const first = await bring(HEADER, ROW, { columns: columnMap(MEANINGS) });
  expect(first).toMatchObject({ refusals: [], stored: {} });
  const next = await bring(HEADER, ROW.replace("0.02", "0.03"));
  expect(next.refusals).toEqual([]);
  expect([...next.built.rows]).toContainEqual(expect.objectContaining({ prefix: "44", ratePerMinuteMicros: 42_000n }));
  await expect(bring(HEADER, ROW, { trunk: "other" })).rejects.toThrow("No row names the columns.");
});

test("a moved, renamed or new column is refused until it is accepted", async () => {
  await bring(HEADER, ROW, { columns: columnMap(MEANINGS) });
  const moved = await bring("Ziele,Takt,Tarif,Destination,Connect Fee,Rate Id", "44,60/60,0.03,UK,0,x");
  expect(moved.refusals.map(({ text }) => text)).toEqual([
    'The columns differ from those of the latest file: "Tarif" was column 2 and is column 3; "Takt" was column 3 and is column 2; ' +
      'column 4 was "Name" and is "Destination"; "Rate Id" is new in column 6. Check that they are read correctly.',
  ]);
  const accepted = await bring("Ziele,Takt,Tarif,Destination,Connect Fee,Rate Id", "44,60/60,0.03,UK,0,x", { newColumns: true });
  expect(accepted.refusals).toEqual([]);
  expect((await bring("Ziele,Takt,Tarif,Destination,Connect Fee,Rate Id", "44,60/60,0.04,UK,0,x")).refusals).toEqual([]);
});

test("a column is ignored with its values: another value asks again, and is remembered once ignored", async () => {
  await bring(HEADER, ROW.replace(",0.1", ",0"), { columns: columnMap(MEANINGS) });
  const fee = await bring(HEADER, ROW.replace("0.02", "0.03"));
  expect(fee.refusals.map(({ text }) => text)).toEqual([
    'These columns are not read but may affect what calls cost, when or for whom: "Connect Fee" (line 2: 0.1).',
  ]);
  expect(fee.file.layout.at(-1)).toEqual({ header: "Connect Fee", column: null, isGiven: false });
  const ignored = await bring(HEADER, ROW.replace("0.02", "0.03"), { columns: columnMap(["Connect Fee=ignore"]) });
  expect(ignored.refusals).toEqual([]);
  expect((await bring(HEADER, ROW.replace("0.02", "0.04"))).refusals).toEqual([]);
});

test("a notice that an operator has read counts as read in the next file, with the same words", async () => {
  const notice = (text: string) => [`${text},,,,`, HEADER, ROW];
  const columns = columnMap(MEANINGS);
  const first = await world.bringFile(notice("Calls to Mexico are billed 60/60"), { columns });
  expect(first.file.bad.named.map(({ line, problem }) => [line, problem])).toEqual([[1, "notice_unclear"]]);
  const read = await world.bringFile(notice("Calls to Mexico are billed 60/60"), { columns, skipLines: new Set([1]) });
  expect(read.refusals).toEqual([]);
  const next = await world.bringFile(notice("Calls to Mexico are billed 60/60").map((line) => line.replace("0.02", "0.03")));
  expect(next.refusals).toEqual([]);
  const other = await world.bringFile(notice("Calls to Mexico are billed 60/30"));
  expect(other.refusals.map(({ kind }) => kind)).toContain("bad_rows");
});

test("a renamed column without which nothing can be read is asked for by its line", async () => {
  await bring(HEADER, ROW, { columns: columnMap(MEANINGS) });
  await expect(bring(HEADER.replace("Tarif", "Preis neu"), ROW)).rejects.toThrow('If line 1 does ("Ziele", "Preis neu", "Takt"');
});

test("a column's meaning is one of the known ones, and the column exists", async () => {
  expect(() => columnMap(["Tarif"])).toThrow('"Tarif" is not a header and its meaning, such as "Dial Codes=prefix".');
  expect(() => columnMap(["Tarif=money"])).toThrow("Meanings: prefix, calling-code,");
  await expect(bring(HEADER, ROW, { columns: columnMap([...MEANINGS, "Rate=price"]) })).rejects.toThrow(
    'There is no column "rate".',
  );
});
