import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { oneLine, phoneTypes, severalLines } from "./contact-file.ts";
import { parseContactFile } from "./parse-contact-file.ts";
import { writeCard } from "./write-card.ts";

/** Any characters, and often those that mean something in a card. */
const anyText = fc
  .array(fc.oneof(fc.string({ unit: "binary", maxLength: 20 }), fc.constantFrom(";", ",", "\\", ":", "\n", "=", '"', "\\n")), {
    maxLength: 8,
  })
  .map((parts) => parts.join(""));
const line = anyText.map(oneLine);
const name = line.filter((text) => text !== "");

test.prop([
  fc.record({
    firstName: name,
    lastName: line,
    company: line,
    email: line.filter((text) => !/^mailto:/i.test(text)),
    notes: anyText.map(severalLines),
    favorite: fc.boolean(),
    number: fc.record({ text: fc.constant("+442079460000"), type: fc.constantFrom(...phoneTypes) }),
  }),
])("a card reads back as it was written, whatever the texts are", (contact) => {
  const written = writeCard(contact);
  const { number, ...rest } = contact;
  expect(parseContactFile(new TextEncoder().encode(written), "people.vcf")).toEqual({
    ok: true,
    contacts: [{ ...rest, row: 1, numbers: [number] }],
  });
});

test("no line is longer than 75 bytes, and none is broken inside a character", () => {
  const written = writeCard({
    firstName: "कमला",
    lastName: "",
    company: "",
    email: "",
    notes: "😀é".repeat(200),
    favorite: false,
    number: { text: "+919800000142", type: "mobile" },
  });
  for (const one of written.split("\r\n")) expect(new TextEncoder().encode(one).length).toBeLessThanOrEqual(75);
  expect(written.replaceAll("\r\n ", "")).toContain("😀é".repeat(200));
});
