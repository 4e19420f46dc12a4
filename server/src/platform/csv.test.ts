import { fc, test } from "@fast-check/vitest";
import { parse } from "csv-parse/sync";
import { expect } from "vitest";
import { CSV_START, csvRecord } from "./csv.ts";

/** Removes the apostrophe, as an importer of our files would. */
function undone(cell: string): string {
  return /^'[=+\-@＝＋－＠\t\r\n\0]/.test(cell) ? cell.slice(1) : cell;
}

test.prop([fc.array(fc.string({ unit: "binary", maxLength: 20 }), { minLength: 1, maxLength: 8 })])(
  "cells survive a round trip, and none begins like a formula unless it is a phone number or an amount",
  (cells) => {
    fc.pre(!cells.some((cell) => /^'[=+\-@＝＋－＠\t\r\n\0]/.test(cell)));
    const [read = []] = parse(CSV_START + csvRecord(cells), { bom: true, record_delimiter: "\r\n" });
    expect(read.map(undone)).toEqual(cells);
    for (const cell of read)
      expect(/^[=+\-@＝＋－＠\t\r\n\0]/.test(cell) && !/^(\+\d{4,15}(,[\d*#,]{1,31})?|-\d+(\.\d{1,6})?)$/.test(cell)).toBe(false);
  },
);

test("negative amounts stay numbers, and formulas that begin like one are escaped", () => {
  expect(csvRecord(["＝1+1", "+442079460001,,12"])).toBe(`"'＝1+1","+442079460001,,12"\r\n`);
  expect(csvRecord(["-3000", "-3000+1"])).toBe(`"-3000","'-3000+1"\r\n`);
  expect(csvRecord(["-0.5964", "-1.00+cmd|'/c calc'!A0"])).toBe(`"-0.5964","'-1.00+cmd|'/c calc'!A0"\r\n`);
});
