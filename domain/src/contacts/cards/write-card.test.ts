import { fc, test } from "@fast-check/vitest";
import { expect } from "vitest";
import { phoneTypes } from "../contact-file.ts";
import { contactDetails, contactLengths, mapDetails, MAX_NUMBERS_PER_CONTACT } from "../contact-details.ts";
import { oneLine, multiLine } from "../contact-texts.ts";
import { parseContactFile } from "../../../test/parse-contact-file.ts";
import { writeCard } from "./write-card.ts";

/** Any characters, often those with a meaning in a card. */
const anyText = fc
  .array(fc.oneof(fc.string({ unit: "binary", maxLength: 20 }), fc.constantFrom(";", ",", "\\", ":", "\n", "=", '"', "\\n")), {
    maxLength: 8,
  })
  .map((parts) => parts.join(""));
const lineOf = (maxCharacters: number) => anyText.map((text) => oneLine(text.slice(0, maxCharacters)));
const line = lineOf(contactLengths.first_name);
const name = line.filter((text) => text !== "");

test.prop([
  fc.record({
    firstName: name,
    lastName: line,
    ...mapDetails((detail) => lineOf(contactDetails[detail].maxCharacters)),
    email: line.filter((text) => !/^mailto:/i.test(text)),
    notes: anyText.map(multiLine),
    favorite: fc.boolean(),
    numbers: fc.array(fc.record({ text: fc.constant("+442079460000"), type: fc.constantFrom(...phoneTypes) }), {
      minLength: 1,
      maxLength: MAX_NUMBERS_PER_CONTACT,
    }),
  }),
])("a written card is read back unchanged, whatever its texts", (contact) => {
  const written = writeCard(contact);
  expect(parseContactFile(new TextEncoder().encode(written))).toMatchObject({
    ok: true,
    contacts: [{ ...contact, row: 1, repairs: [] }],
  });
});

test("lines have at most 75 bytes and are never folded inside a character", () => {
  const written = writeCard({
    firstName: "कमला",
    lastName: "",
    ...mapDetails(() => ""),
    email: "",
    notes: "😀é".repeat(200),
    favorite: false,
    numbers: [{ text: "+919800000142", type: "mobile" }],
  });
  for (const one of written.split("\r\n")) expect(new TextEncoder().encode(one).length).toBeLessThanOrEqual(75);
  expect(written.replaceAll("\r\n ", "")).toContain("😀é".repeat(200));
});
