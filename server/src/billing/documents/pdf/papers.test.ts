import { buffer } from "node:stream/consumers";
import { test as property, fc } from "@fast-check/vitest";
import { languages } from "@farline/domain/languages.ts";
import { describe, expect, test } from "vitest";
import { readPdf } from "../../../../test/papers/read-pdf.ts";
import { sampleReceipt } from "../../../../test/papers/sample-receipt.ts";
import type { LedgerLine } from "../../../ledger/ledger.ts";
import { layOutText } from "./lay-out-text.ts";
import { receiptPdf } from "./receipt-pdf.ts";
import { statementPdf } from "./statement-pdf.ts";

const receiptOf = (buyer_name: string, language: (typeof languages)[number] = "en") =>
  receiptPdf(sampleReceipt({ buyer_name }), language).then(readPdf);

/** Wrapped texts are copied with the ends of their lines. */
const letters = (text: string) => text.replace(/\s/g, "");

/** Names as their bearers write them, by script. */
const NAMES = [
  ["Latin, Vietnamese", "Nguyễn Thị Ánh"],
  ["Latin, Polish", "Łukasz Żółć"],
  ["Latin, Turkish", "İbrahim Şahin Ğ"],
  ["Latin, Ewe", "Kɔ́dzo Ɛ́nyɔnam"],
  ["Greek", "Παναγιώτης Ἀλέξανδρος"],
  ["Cyrillic", "Дмитрий Їжак"],
  ["Arabic", "محمد عبد الله المصري"],
  ["Arabic with marks", "محمّد عبدالرحمٰن كَيْفَ شكرًا"],
  ["Arabic, Persian", "گلناز پژمان چگینی"],
  ["Arabic, Urdu", "ڈاکٹر ٹھاکر ڑے"],
  ["Hebrew", "יוסף כהן־לוי"],
  ["Hebrew with points", "שָׁלוֹם כֹּהֵן"],
  ["Devanagari", "श्रीकृष्ण त्रिपाठी"],
  ["Devanagari with accents", "रु॒क्मैरा ऋ॒ष्टीर॑सृक्षत"],
  ["Bengali", "শ্রীকান্ত বন্দ্যোপাধ্যায়"],
  ["Gurmukhi", "ਗੁਰਪ੍ਰੀਤ ਸਿੰਘ"],
  ["Gujarati", "શ્રીકૃષ્ણ પટેલ"],
  ["Oriya", "ଶ୍ରୀକୃଷ୍ଣ ମହାପାତ୍ର"],
  ["Tamil", "ஸ்ரீநிவாசன் கோபால்"],
  ["Telugu", "శ్రీనివాస్ రెడ్డి"],
  ["Kannada", "ಶ್ರೀಕೃಷ್ಣ ಹೆಗ್ಡೆ"],
  ["Malayalam", "ശ്രീകൃഷ്ണൻ നമ്പ്യാർ"],
  ["Sinhala", "ශ්‍රී වික්‍රම"],
  ["Thai", "สมชาย น้ำทิพย์"],
  ["Lao", "ສົມຊາຍ ແກ້ວ"],
  ["Khmer", "សុខ ស្រីមុំ"],
  ["Myanmar", "အောင်ဆန်း မြင့်"],
  ["Tibetan", "བསྟན་འཛིན་རྒྱ་མཚོ"],
  ["Georgian", "გიორგი ბერიძე"],
  ["Armenian", "Արմեն Պետրոսյան"],
  ["Ethiopic", "አበበ ቢቂላ"],
  ["Thaana", "ޢަލީ ޙަސަން"],
  ["Syriac", "ܐܒܪܗܡ"],
  ["N’Ko", "ߊߥߊ"],
  ["Tifinagh", "ⵉⴷⵉⵔ"],
  ["Adlam", "𞤀𞤣𞤤𞤢𞤥"],
  ["Hanifi Rohingya", "𐴁𐴕𐴧𐴀"],
  ["Ol Chiki", "ᱥᱟᱱᱛᱟᱲ"],
  ["Meetei Mayek", "ꯏꯕꯣꯝꯆꯥ"],
  ["Mongolian", "ᠪᠠᠲᠤ"],
  ["Javanese", "ꦱꦸꦏꦂꦤ"],
  ["Cherokee", "ᏎᏉᏯ"],
  ["Canadian Aboriginal", "ᐃᓄᒃ"],
  ["Chinese", "王小明"],
  ["Chinese, traditional", "陳喆"],
  ["Japanese", "さくら 田中"],
  ["Japanese, rare characters", "髙﨑 𠮷"],
  ["Korean", "김민수"],
  ["twelve scripts", "Ada Ольга Ελένη محمد יוסף श्री শ্রী สม กา გი 王 김"],
] as const;

describe("a name", () => {
  test.each(NAMES)("in %s is on the receipt, and copied as it is written", async (_script, name) => {
    for (const language of ["en", "ar"] as const)
      expect(letters((await receiptOf(name, language)).text)).toContain(letters(name));
  });

  test("in a script without a font is copied as it is written", async () => {
    expect((await receiptOf("ꆈꌠꁱꂷ")).text).toContain("ꆈꌠꁱꂷ");
  });

  test.each([
    ["Ada 🎉 Caller 👨‍👩‍👧🇫🇷", "Ada Caller"],
    ["☎️ Ada Caller 1️⃣", "Ada Caller 1"],
    ["👍🏽Ada", "Ada"],
    ["Ada™ ©", "Ada™ ©"],
  ])("with emoji keeps its letters: %s", async (name, shown) => {
    expect((await receiptOf(name)).pages[0]).toContain(shown);
  });

  test("of emoji alone leaves the e-mail address", async () => {
    expect((await receiptOf("🎉👍")).text).toContain("Tax ID GB1\nada@example.com");
  });

  test("of letters and separate marks is the same name", async () => {
    expect((await receiptOf("Zoe\u0308 Mu\u0308ller")).text).toContain("Zoë Müller");
  });

  test("in letters of formulas is in plain ones", async () => {
    expect((await receiptOf("𝓐𝓭𝓪 ℂ𝕒𝕝𝕝𝕖𝕣")).text).toContain("Ada ℂaller");
  });

  test.each([
    "محمد عبد الله (أبو علي) المصري",
    "محمد (أبو علي) Smith-Jones",
    "Ada (علي) O’Neil",
    "אבי [Abi] כהן 3",
    "دفتر سلكي بهوية الهيئة A4 - شد 50 ورقة",
    "a你b好c & <Co> ½ ∑ ≤ № 1",
  ])("of both directions is ordered by its own letters: %s", async (name) => {
    for (const language of ["en", "ar"] as const) expect((await receiptOf(name, language)).text).toContain(name);
  });
});

describe("the Unicode bidirectional algorithm", () => {
  /** A line's clusters from left to right. */
  const visual = async (text: string, direction: "ltr" | "rtl" | "auto") => {
    const [line] = await layOutText(text, { size: 10, weight: 400, width: 1_000, direction });
    return (line?.clusters ?? []).map((cluster) => cluster.text).join("");
  };
  const reversed = (text: string) => [...text].toReversed().join("");

  test.each([
    ["محمد (علي) Smith", "auto", `Smith ${reversed("محمد (علي)")}`],
    ["محمد (علي) Smith", "ltr", `${reversed("محمد (علي)")} Smith`],
    ["Ada محمد", "rtl", `${reversed("محمد")} Ada`],
    ["\u2068+44 20 7946\u2069 مكالمة", "rtl", `${reversed("مكالمة")} +44 20 7946`],
    ["مكالمة \u2068+44 20 7946\u2069", "rtl", `+44 20 7946 ${reversed("مكالمة")}`],
    ["Ada \u202eCaller", "ltr", "Ada Caller"],
  ] as const)("orders %s (%s)", async (text, direction, expected) => {
    expect(await visual(text, direction)).toBe(expected);
  });
});

describe("what is too long for a line", () => {
  const FIRM = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft mbH & Co. KG";
  const EMAIL = `${"a".repeat(64)}@${"b".repeat(63)}.${"c".repeat(63)}.${"d".repeat(59)}`;
  const ADDRESS = [
    "Straße des Siebzehnten Juni an der Ecke zur Charlottenburger Brücke 135, Hinterhaus, dritter Aufgang",
    "Berlin",
  ];
  test.each(languages)("is wrapped on a receipt in %s, and nothing is cut", async (language) => {
    const taxNote = "Mehrwertsteuer nach dem Recht des Landes, in dem der Leistungsempfänger ansässig ist. ".repeat(5).trim();
    const seller = { name: `Verkäufer ${FIRM}`, address: ADDRESS, taxId: "DE".padEnd(60, "9"), taxMillipercent: null, taxNote };
    const receipt = sampleReceipt({ buyer_name: FIRM.slice(0, 120), buyer_email: EMAIL, seller, tax_micros: null });
    const text = letters((await readPdf(await receiptPdf(receipt, language))).text);
    const { buyer_name, buyer_email } = receipt;
    for (const wanted of [buyer_name, buyer_email, seller.name, ...ADDRESS, seller.taxId, taxNote])
      expect(text).toContain(letters(wanted));
    expect(text).not.toContain("…");
  });

  test("breaks between the words of scripts without spaces", async () => {
    const lines = await layOutText("สวัสดีครับคุณสมชายใจดีจากกรุงเทพมหานคร", { size: 10, weight: 400, width: 100, direction: "ltr" });
    const words = new Intl.Segmenter("th", { granularity: "word" });
    for (const { clusters } of lines) {
      const line = clusters.map(({ text }) => text).join("");
      expect([...words.segment("สวัสดีครับคุณสมชายใจดีจากกรุงเทพมหานคร")].some(({ segment }) => line.startsWith(segment))).toBe(true);
    }
    expect(lines.length).toBeGreaterThan(1);
    for (const { width } of lines) expect(width).toBeLessThanOrEqual(100);
  });
});

describe("a statement", () => {
  const line = (nth: number): LedgerLine => ({
    id: String(nth),
    kind: "call",
    description: `Call to +44 20 7946 ${String(nth).padStart(4, "0")}`,
    amountMicros: -1_000_000n,
    bonusMicros: 0n,
    balanceAfterMicros: -1_000_000n * BigInt(nth + 1),
    createdAt: new Date("2026-05-18T19:42:00Z"),
    referenceId: null,
    callerId: null,
    sequence: BigInt(nth + 1),
  });

  async function statementOf(entries: number, name: string, address: readonly string[] = []) {
    const lines = Array.from({ length: entries }, (_, nth) => line(nth));
    const closingMicros = lines.at(-1)?.balanceAfterMicros ?? 0n;
    const statement = {
      month: "2026-05",
      from: new Date("2026-05-01T00:00:00Z"),
      to: new Date("2026-06-01T00:00:00Z"),
      customer: { name, email: "ada@example.com" },
      ledger: {
        openingMicros: 0n,
        closingMicros,
        entries,
        async *lines() {
          yield* lines;
        },
      },
    };
    return readPdf(await statementPdf(statement, { seller: { ...sampleReceipt().seller, address }, language: "en" }));
  }

  test("has every line once, and the heads of its columns on each page", async () => {
    const { pages, text, roles } = await statementOf(120, "王小明");
    expect(text).toContain("王小明");
    for (let nth = 0; nth < 120; nth += 1) expect(text.split(`+44 20 7946 ${String(nth).padStart(4, "0")}`)).toHaveLength(2);
    expect(pages.length).toBeGreaterThan(2);
    for (const page of pages) expect(page.filter((row) => /^Date.*Description.*Amount.*Balance$/.test(row))).toHaveLength(1);
    expect(pages.slice(1).every((page, nth) => page.includes(`Page ${nth + 2}`))).toBe(true);
    expect(roles).toMatch(/^Document H1 P .*Table TR TH TH TH TH TR TD TD TD TD/);
  });

  test.each(Array.from({ length: 12 }, (_, nth) => 26 + nth))(
    "never ends a page with the heads, after %i lines",
    async (lines) => {
      const { pages } = await statementOf(
        9,
        "Ada",
        Array.from({ length: lines }, () => "Line"),
      );
      for (const page of pages) expect(page.filter((row) => row !== "").at(-1)).not.toMatch(/^Date/);
    },
  );
});

test("a receipt says its title, language and structure to those who have it read to them", async () => {
  const { title, language, roles } = await receiptOf("Ada", "ar");
  expect([title, language]).toEqual(["إيصال 2026-000042", "ar"]);
  expect(roles).toMatch(/^Document H1 P( P)+$/);
  // Drawn from right to left, but read from the first letter.
  const file = await buffer(await receiptPdf(sampleReceipt({ buyer_name: "محمد علي Smith" }), "en"));
  expect(file.includes(Buffer.from("\ufeffمحمد علي Smith", "utf16le").swap16())).toBe(true);
});

test("a receipt totals the credit received, unless it was bought for somebody else", async () => {
  const rows = async (changes: Parameters<typeof sampleReceipt>[0]) =>
    (await readPdf(await receiptPdf(sampleReceipt(changes), "en"))).text;
  expect(await rows({})).toMatch(/Credit received\s*\$21\.00/);
  const gift = await rows({ bonus_micros: 0n, for_other: true });
  expect(gift).toContain("$20.00");
  expect(gift).not.toContain("Credit received");
});

describe("hostile input", () => {
  const MOST_BYTES = 600_000;

  test.each([
    ["combining marks", `A${"\u0301\u0323".repeat(5_000)}`],
    ["marks between joiners", `A${"\u0301\u200d".repeat(5_000)}`],
    ["overrides", "\u202e\u2066\u202a\u2067Ada\u2069\u202c".repeat(1_500)],
    ["isolates that never end", "\u2067".repeat(10_000)],
    ["joiners", "\u200d".repeat(10_000)],
    ["halves of pairs", "\ud83d".repeat(10_000)],
    ["one word", "W".repeat(10_000)],
    ["brackets", "([{".repeat(3_333)],
    ["private use", "\ue000".repeat(10_000)],
    ["line breaks", "A\n".repeat(5_000)],
  ])("of %s ends in a bounded file", async (_kind, name) => {
    const { bytes, pages } = await receiptOf(name);
    expect(bytes).toBeLessThan(MOST_BYTES);
    expect(pages.length).toBeLessThan(10);
  });

  property.prop([fc.string({ unit: "binary", maxLength: 120 })], { numRuns: 30 })(
    "of any characters is a receipt",
    async (name) => {
      expect((await receiptOf(name)).text).toContain("2026-000042");
    },
  );
});
