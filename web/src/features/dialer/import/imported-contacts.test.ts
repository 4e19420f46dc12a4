import { expect, it } from "vitest";
import { mergeContacts } from "./import-contacts.ts";
import { findContacts } from "./imported-contacts.tsx";

const ama = { name: "Ama", phone: "+233200000142" };

it("adds each number once, normalised and sorted by name", () => {
  const { contacts, added } = mergeContacts(
    [ama],
    [
      { name: "Zoe", phone: "+44 (20) 7946-0001" },
      { name: "Ama again", phone: "+233 20 000 0142" },
      { name: "Kofi", phone: "020 7946 0002 ext. 5" },
      { name: "Kofi twice", phone: "020-7946-0002" },
      { name: " ", phone: "112233" },
      { name: "Nobody", phone: "no number" },
    ],
  );
  expect(added).toBe(3);
  expect(contacts.map((contact) => `${contact.name} ${contact.phone}`)).toEqual([
    "112233 112233",
    "Ama +233200000142",
    "Kofi 02079460002",
    "Zoe +442079460001",
  ]);
});

it("stores no more contacts than a browser can hold", () => {
  const many = Array.from({ length: 5100 }, (_, at) => ({ name: `P${at}`, phone: `+1${String(2_000_000_000 + at)}` }));
  expect(mergeContacts([ama], many)).toMatchObject({ added: 4999 });
});

it("finds contacts by part of the name, or by the number in any format", () => {
  const list = [ama, { name: "Zoë", phone: "+442079460001" }];
  expect(findContacts(list, "zo", 5)).toHaveLength(1);
  expect(findContacts(list, "(233) 20-000", 5)).toEqual([ama]);
  expect(findContacts(list, "\u202a+233 (0)20", 5)).toEqual([ama]);
  const folded = ["Müller", "김민수", "J.P.", "St John", "Đức", "Łukasz", "Weiß", "Işıl", "O’Neil", "کریم"].map((name) => ({
    name,
    phone: "+1",
  }));
  for (const [index, typed] of [
    "mueller",
    "ㄱㅁㅅ",
    "jp",
    "st. john",
    "duc",
    "lukasz",
    "weiss",
    "isil",
    "o'neil",
    "كريم",
  ].entries())
    expect(findContacts(folded, typed, 5)).toEqual([folded[index]]);
  expect(findContacts(list, "", 1)).toEqual([ama]);
  expect(findContacts(list, "nobody", 5)).toEqual([]);
});
