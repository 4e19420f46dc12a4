import { expect, test } from "vitest";
import { firstNameOf, MAX_GREETING_CHARS, readPassedOn, shownName, strangersName } from "./passed-on-text.ts";

const read = (text: string) => readPassedOn(text, MAX_GREETING_CHARS);

test.each([
  ["", ""],
  ["  Happy birthday, Mama!\n Call me. ", "Happy birthday, Mama! Call me."],
  ["Ring me at 18:00. Love", "Ring me at 18:00. Love"],
  ["Call me after 18.00 on 24 Dec 2026, Mama…", "Call me after 18.00 on 24 Dec 2026, Mama..."],
  ["Joyeux Noël : à bientôt !", "Joyeux Noël : à bientôt !"],
  ["¡Feliz cumpleaños, Mª José!", "¡Feliz cumpleaños, Ma José!"],
  ["जन्मदिन की शुभकामनाएँ। माँ", "जन्मदिन की शुभकामनाएँ। माँ"],
  ["كل عام وأنتم بخير، يا أمي؟", "كل عام وأنتم بخير، يا أمي؟"],
  ["می\u200Cخواهم", "می\u200Cخواهم"],
  ["“Ben” said: hi (twice) & left 🎂👩‍👧❤️🇬🇭", "“Ben” said: hi (twice) & left 🎂👩‍👧❤️🇬🇭"],
  ["Here are $20", "Here are $20"],
  ["Code 123456", "Code 123456"],
  ["x".repeat(200), "x".repeat(200)],
  ["a\u202Eb\u0007c", "abc"],
])("%j is kept as %j", (typed, kept) => {
  expect(read(typed)).toBe(kept);
});

test.each([
  "https://evil.example",
  "see www.evil",
  "evil.example now",
  "ｅｖｉｌ．ｅｘａｍｐｌｅ",
  "اتصل evil.شبكة",
  "evil。com",
  "evil｡com",
  "evil․com",
  "evil．com",
  "evil·com",
  "evil∙com",
  "evil⋅com",
  "evil•com",
  "evil・com",
  "evil\uA4F8com",
  "evil\u06D4com",
  "evil\u00AD.com",
  "ev\u200Dil.c\u200Com",
  "evil\u200B.\u2060com",
  "evil.\uFE0Fcom",
  "evil\u0301.com",
  "evil..com",
  "evil.\u180Ecom",
  "evil.'com",
  "邪恶。中国",
  "kuոdе.сօmdiгесt.dе",
  "ᴇᴠɪʟ.ᴄᴏᴍ",
  "evil/path",
  "evil⁄path",
  "evil∕path",
  "http:⁄⁄evil",
  "skype:evil",
  "mail me@evil",
  "mail me＠evil",
  "<b>Hi</b>",
  "192.168.1.1",
  "call +44 20 7946 0000",
  "555 01 99",
  "1/800/555/0199",
  "1.800.555.0199",
  "1-800-555-0199",
  "1 (800) 555, 0199",
  "1:800:555:0199",
  "18005550199",
  "1234567",
  "١٨٠٠٥٥٥٠١٩٩",
  "१८००५५५०१९९",
  "𝟏𝟖𝟎𝟎𝟓𝟓𝟓𝟎𝟏𝟗𝟗",
  "①⑧⓪⓪⑤⑤⑤⓪①⑨⑨",
  "➊➑➎➎➎➋➊➒➒",
  "1️⃣8️⃣0️⃣0️⃣5️⃣5️⃣5️⃣0️⃣1️⃣9️⃣9️⃣",
  "一八八八五五五二一九九",
  "1\u0301 8\u0301 0 0 5 5 5 0",
  "1️8️0️0️5️5️5️0",
  "1❤8❤0❤0❤5❤5❤5❤0",
  "1800 and 555 and 0199",
  "x".repeat(201),
])("%j is refused", (typed) => {
  expect(read(typed)).toBeNull();
});

test("every sign that looks or acts like a full stop is refused between two words", () => {
  const passed = [];
  for (let code = 0x21; code < 0x1_10_00; code += 1) {
    const sign = String.fromCodePoint(code);
    const folded = sign.normalize("NFKC");
    if (/^[.\u3002]+$/.test(folded) && read(`evil${sign}com`) !== null) passed.push(code.toString(16));
  }
  expect(passed).toEqual([]);
});

test.each([
  "Ada Lovelace",
  "Мария-Луиза O’Neil",
  "John 2nd",
  "Dr. Osei",
  "Dr. Mary St. John",
  "J.P.",
  "J.P. Morgan",
  "Ama (work)",
  "Kwame & Efua",
  "Mum ❤️",
  "👩‍👧 Zoë",
  "Ben, Accra",
  "Müller GmbH & Co. KG",
  "Mum #2",
  "Papa!",
  "Home: Lagos",
  "محمد عبد الله (أبو علي)",
  "می\u200Cخواهم",
  "ש. כהן",
  "김민수",
  "காயத்ரி",
])("the name %j is shown as it is written", (name) => {
  expect(shownName(name)).toBe(name);
});

test.each([
  ["Dr. Mary St. John", "Dr. Mary St. John"],
  ["Kwame & Efua (Accra) ❤️", "Kwame & Efua (Accra) ❤️"],
  ["a".repeat(60), `${"a".repeat(39)}…`],
  ["Visit evil.example", null],
  ["http://evil", null],
  ["You won! Call +1 900", null],
  ["evil/path", null],
  ["evil。com", null],
  ["Farline: pay now", null],
  ["Call 1 800 555 0199", null],
])("a stranger's name %j is shown as %j", (name, shown) => {
  expect(strangersName(name)).toBe(shown);
});

test.each([
  ["evil.com", "evil. com"],
  ["evil。com", "evil. com"],
  ["evil.\u200Dcom", "evil. \u200Dcom"],
  ["www.evil.com/path", "www. evil. com / path"],
  ["http://evil", "http: / / evil"],
  ["me@evil.com", "me @ evil. com"],
  ["J.P.Morgan", "J.P. Morgan"],
  ["<b>Ada</b>", "b Ada / b"],
  ["Ada\r\nBcc: ben", "Ada Bcc: ben"],
  ["evil\u00ADcom", "evil com"],
  ["a".repeat(41), `${"a".repeat(39)}…`],
])("the name %j is shown as %j, so that no program makes a link of it", (name, shown) => {
  expect(shownName(name)).toBe(shown);
});

test.each(["Call 1 800 555 0199", "Call ١٨٠٠٥٥٥٠١٩٩", "18005550199", "", "❤️", "..."])("the name %j is not shown", (name) => {
  expect(shownName(name)).toBeNull();
});

test("no full stop of any script joins two words of a name", () => {
  const passed = [];
  for (let code = 0x21; code < 0x1_10_00; code += 1) {
    const shown = shownName(`evil${String.fromCodePoint(code)}com`) ?? "";
    if (/l[.\u3002\uFF0E\uFF61\u2024]+c/u.test(shown.normalize("NFKC"))) passed.push(code.toString(16));
  }
  expect(passed).toEqual([]);
});

test.each([
  ["Ada Lovelace", "Ada"],
  ["Dr. Mary St. John", "Dr. Mary"],
  ["J.P. Morgan", "J.P. Morgan"],
  ["J.P.", "J.P."],
  ["Osei, Kwame", "Osei"],
  ["❤️ Mum", "❤️ Mum"],
  ["evil.com Ada", "evilcom"],
  ["+1(800)555-0199 Ada", "-"],
  ["María-José Pérez", "María-José"],
])("others see %j as %j", (name, first) => {
  expect(firstNameOf(name)).toBe(first);
});
