import { expect, test } from "vitest";
import { firstNameOf, isPlainName, MAX_GREETING_CHARS, readPassedOn } from "./passed-on-text.ts";

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
  ["Ada Lovelace", true],
  ["Мария-Луиза O’Neil", true],
  ["John 2nd", true],
  ["Call 1 800 555 0199", false],
  ["Call ١٨٠٠٥٥٥٠١٩٩", false],
  ["evil.com", false],
  ["evil。com", false],
  ["a".repeat(41), false],
  ["", false],
])("the name %j is plain: %s", (name, plain) => {
  expect(isPlainName(name)).toBe(plain);
});

test.each([
  ["Ada Lovelace", "Ada"],
  ["evil.com Ada", "evilcom"],
  ["http://evil.com", "httpevilcom"],
  ["+1(800)555-0199 Ada", "-"],
  ["María-José Pérez", "María-José"],
])("others see %j as %j", (name, first) => {
  expect(firstNameOf(name)).toBe(first);
});
