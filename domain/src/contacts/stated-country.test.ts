import { describe, expect, test } from "vitest";
import { parseContactFile } from "../../test/parse-contact-file.ts";
import { readFileNumber, statedCountry } from "./stated-country.ts";

/** "Sita +9779812345678", or "Sita: problem" for a number held back. */
function outcomes(table: string, chosen: string | null): string[] {
  const result = parseContactFile(new TextEncoder().encode(table));
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result.contacts.flatMap(({ firstName, numbers, damage }) =>
    numbers.map((number) => {
      const read = readFileNumber(number, chosen);
      if (damage !== null) return `${firstName}: ${damage}`;
      return read.ok ? `${firstName} ${read.e164}${read.valid ? "" : "?"}` : `${firstName}: ${read.problem}`;
    }),
  );
}

describe("a column of countries or dialling codes", () => {
  test.each([
    ["Name,Country,Phone\nSita,Nepal,9812345678", "IN", "Sita +9779812345678"],
    ["Name,Dial Code,Mobile\nAli,+256,0712345678", "KE", "Ali +256712345678"],
    ["Name,Dial Code,Mobile\nAli,256,0712345678", "KE", "Ali +256712345678"],
    ["Name,ISD Code,Mobile\nAli,00256,0712345678", "KE", "Ali +256712345678"],
    ["Name,Code,Mobile\nAli,256,0712345678", "KE", "Ali +256712345678"],
    ["Name,Mobile,Country Code\nAli,0712345678,UG", "KE", "Ali +256712345678"],
    ["Name,Country,Phone\nAnn,UK,07400 123456", "IE", "Ann +447400123456"],
    ["Name,Country,Phone\nAnn,Scotland,07400 123456", "IE", "Ann +447400123456"],
    ["Name,Country,Phone\nBob,USA,(212) 555-0123", "DE", "Bob +12125550123"],
    ["Name,Country,Phone\nBob,🇳🇵,9812345678", "IN", "Bob +9779812345678"],
    ["Nombre,País,Teléfono\nSita,Népal,9812345678", "IN", "Sita +9779812345678"],
    ["Nom;Pays;Téléphone\nSita;Népal;9812345678", "IN", "Sita +9779812345678"],
    ["Nom;Indicatif pays;Téléphone\nSita;+977;9812345678", "IN", "Sita +9779812345678"],
    ["नाम,देश,फ़ोन\nसीता,नेपाल,9812345678", "IN", "सीता +9779812345678"],
    ["الاسم,البلد,الهاتف\nسيتا,نيبال,9812345678", "IN", "سيتا +9779812345678"],
    ["الاسم,مفتاح الدولة,الجوال\nسيتا,٩٧٧,٩٨١٢٣٤٥٦٧٨", "IN", "سيتا +9779812345678"],
    ["Name;Land;Telefon\nSita;Nepal;9812345678", "IN", "Sita +9779812345678"],
    ["Name;Ländervorwahl;Handy\nSita;+977;9812345678", "IN", "Sita +9779812345678"],
    ["Nome;Paese;Cellulare\nSita;Nepal;9812345678", "IN", "Sita +9779812345678"],
    ["Nome;DDI;Telefone\nSita;977;9812345678", "IN", "Sita +9779812345678"],
    ["Naam;Landcode;Mobiel\nSita;NP;9812345678", "IN", "Sita +9779812345678"],
    ["Imię;Kraj;Telefon\nSita;Nepal;9812345678", "IN", "Sita +9779812345678"],
    ["Имя;Страна;Телефон\nСита;Непал;9812345678", "IN", "Сита +9779812345678"],
    ["Имя;Код страны;Телефон\nСита;+977;9812345678", "IN", "Сита +9779812345678"],
    ["Ім'я;Країна;Телефон\nСіта;Непал;9812345678", "IN", "Сіта +9779812345678"],
    ["Ad;Ülke;Telefon\nSita;Nepal;9812345678", "IN", "Sita +9779812345678"],
    ["姓名,国家,电话\n西塔,尼泊尔,9812345678", "IN", "西塔 +9779812345678"],
    ["氏名,国番号,電話番号\nシタ,977,9812345678", "IN", "シタ +9779812345678"],
    ["이름,국가,전화\n시타,네팔,9812345678", "IN", "시타 +9779812345678"],
    ["Tên,Quốc gia,Điện thoại\nSita,Nepal,9812345678", "IN", "Sita +9779812345678"],
    ["Nama,Kode negara,Telepon\nSita,+977,9812345678", "IN", "Sita +9779812345678"],
    ["নাম,দেশ,ফোন\nসীতা,নেপাল,9812345678", "IN", "সীতা +9779812345678"],
    ["نام,کشور,موبایل\nسیتا,نپال,9812345678", "IN", "سیتا +9779812345678"],
    ["Jina,Nchi,Simu\nSita,Nepal,9812345678", "KE", "Sita +9779812345678"],
    ["Sita,Nepal,98123 45678\nRam,India,98123 45679", "IN", "Sita +9779812345678"],
    ["Name,Country,Dial code,Phone\nSita,Nepal,+977,9812345678", "IN", "Sita +9779812345678"],
    ["Name,Country,Phone\nSita,Nepal (+977),9812345678", "IN", "Sita +9779812345678"],
    ["Name,Country,Phone\nSita,Nepal,977 9812345678", "IN", "Sita +9779812345678"],
    ["Name,Dial code,Phone\nDonna,+1-876,5551234", "GB", "Donna +18765551234"],
    ["Name,Mobile country code,Mobile,Work country code,Work\nSita,+977,9812345678,+91,9812345679", "IN", "Sita +9779812345678"],
    ["Name,Country,Phone\nSita,,9812345678", "IN", "Sita +919812345678"],
    ["Name,Country,Phone\nSita,Nepal,+977 9812345678", "IN", "Sita +9779812345678"],
    ["Name,Country,Phone\nSita,Wonderland,+977 9812345678", "IN", "Sita +9779812345678"],
  ])("of %j decides how the number is read (chosen: %s)", (table, chosen, outcome) => {
    expect(outcomes(table, chosen)[0]).toBe(outcome);
  });

  test.each([
    ["Name,Country,Phone\nSita,Nepal,+91 98123 45678", "IN", "Sita: country_contradicts"],
    ["Name,Country,Phone\nSita,Wonderland,9812345678", "IN", "Sita: country_unknown"],
    ["Name,Country,Phone\nSita,USA/Mexico,9812345678", "IN", "Sita: country_unknown"],
    ["Name,Country,Dial code,Phone\nSita,Nepal,+91,9812345678", "IN", "Sita: country_unknown"],
    ["Name,Country,Phone\nAnn,Andorra,9812345678", "IN", "Ann: country_contradicts"],
    ["Name,Home Country/Region,Phone\nSita,Nepal,9812345678", "IN", "Sita: ambiguous"],
    ["Name,Address 1 - Country,Phone\nSita,Nepal,9812345678", null, "Sita: country_required"],
  ])("of %j holds a number back that it contradicts or casts doubt on (chosen: %s)", (table, chosen, outcome) => {
    expect(outcomes(table, chosen)).toEqual([outcome]);
  });

  test("of an address does not concern numbers with a country code", () => {
    expect(outcomes("Name,Home Country,Phone\nAyşe,Germany,+90 532 000 01 42", "IN")).toEqual(["Ayşe +905320000142"]);
  });

  test("is a role that the user can choose", () => {
    const file = new TextEncoder().encode("Wer,Wo,Womit\nSita,NP,9812345678\n");
    const result = parseContactFile(file, { charset: null, columns: ["full_name", "country", "phone"] });
    const [number] = result.ok ? (result.contacts[0]?.numbers ?? []) : [];
    expect(number && readFileNumber(number, "IN")).toMatchObject({ e164: "+9779812345678" });
  });

  test.each(["", " ", "-", "n/a", "0"])("with %j states nothing", (text) => expect(statedCountry(text, false)).toBeNull());
});

describe("columns beside the number", () => {
  test.each([
    ["Name,Area code,Phone\nAnn,212,555-0123", "US", "Ann +12125550123"],
    ["Name;Vorwahl;Telefon\nJörg;030;12345678", "DE", "Jörg +493012345678"],
    ["Name;Vorwahl;Telefon\nJörg;+43;664 1234567", "DE", "Jörg +436641234567"],
    ["Name;Vorwahl;Telefon\nJörg;030;030 12345678", "DE", "Jörg +493012345678"],
    ["Nome;DDD;Telefone\nInês;11;98123-4567", "BR", "Inês +5511981234567"],
  ])("such as %j complete it", (table, chosen, outcome) => {
    expect(outcomes(table, chosen)).toEqual([outcome]);
  });

  test.each([
    ["Name,Phone,Ext\nAnn,+44 20 7946 0000,12", ["+44 20 7946 0000 ext. 12"]],
    ["Name;Telefon;Durchwahl\nAnn;+49 30 12345678;x34", ["+49 30 12345678 ext. 34"]],
    ["Name,Mobile,Work Phone,Work Ext\nAnn,+44 7400 123456,+44 20 7946 0000,12", ["+44 7400 123456", "+44 20 7946 0000 ext. 12"]],
    [
      "Name,Mobile,Work Phone,Extension\nAnn,+44 7400 123456,+44 20 7946 0000,12",
      ["+44 7400 123456", "+44 20 7946 0000 ext. 12"],
    ],
    ["姓名,电话,分机\n王小明,+86 10 6552 9988,801", ["+86 10 6552 9988 ext. 801"]],
  ])("with an extension, such as %j, add it", (table, numbers) => {
    const result = parseContactFile(new TextEncoder().encode(table));
    expect(result.ok && result.contacts[0]?.numbers.map(({ text }) => text)).toEqual(numbers);
  });

  test("whose extension belongs to none of several numbers say so", () => {
    const result = parseContactFile(new TextEncoder().encode("Name,Phone,Ext\nAnn,+44 20 7946 0000; +44 20 7946 0001,12"));
    expect(result.ok && result.contacts[0]?.repairs).toEqual(["numbers_split", "extension_left_out"]);
  });
});
