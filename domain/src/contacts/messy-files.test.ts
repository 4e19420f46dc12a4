import { fc, test as property } from "@fast-check/vitest";
import { describe, expect, test } from "vitest";
import { type ColumnRole, contactFileLimits, type FileChoices, type FileContact } from "./contact-file.ts";
import { parseContactFile } from "../../test/parse-contact-file.ts";
import { openContactFile } from "./parse-contact-file.ts";

type Piece = string | readonly number[];
/** Encodes texts as UTF-8 and keeps bytes. */
const bytesOf = (...pieces: readonly Piece[]) =>
  Uint8Array.from(pieces.flatMap((piece) => (typeof piece === "string" ? [...new TextEncoder().encode(piece)] : piece)));
/** Encodes as Latin-1. */
const bytes = (text: string): number[] => [...text].map((letter) => letter.charCodeAt(0));

function read(file: Uint8Array | string, choices?: FileChoices) {
  const result = parseContactFile(typeof file === "string" ? bytesOf(file) : file, choices);
  if (!result.ok) throw new Error(JSON.stringify(result.problem));
  return result;
}
const people = (file: Uint8Array | string, choices?: FileChoices) =>
  read(file, choices).contacts.map(
    ({ firstName, lastName, numbers }) => `${`${firstName} ${lastName}`.trim()}: ${numbers.map(({ text }) => text).join(" ")}`,
  );
const repairs = (file: Uint8Array | string) => read(file).contacts.map((contact: FileContact) => contact.repairs);
const card = (...lines: string[]) => ["BEGIN:VCARD", ...lines, "END:VCARD", ""].join("\r\n");

describe("malformed cards", () => {
  test("without an END line do not give their numbers to other contacts", () => {
    const file = `BEGIN:VCARD\nVERSION:3.0\nFN:Ann\nTEL:+11\n${card("FN:Bob", "TEL:+22")}BEGIN:VCARD\nFN:Cy\nTEL:+33`;
    expect(people(file)).toEqual(["Ann: +11", "Bob: +22", "Cy: +33"]);
    expect(repairs(file)).toEqual([["card_not_closed"], [], ["card_not_closed"]]);
  });

  test("without a BEGIN line are read, and an agent's number is not assigned to the contact", () => {
    expect(people(`${card("FN:Ann", "TEL:+11")}VERSION:3.0\nFN:Bob\nTEL:+22\nEND:VCARD\n`)).toEqual(["Ann: +11", "Bob: +22"]);
    const agent =
      card("FN:Ann", "AGENT:", "BEGIN:VCARD", "FN:Agent", "TEL:+99", "END:VCARD", "TEL:+11") + card("FN:Bob", "TEL:+22");
    expect(people(agent)).toEqual(["Ann: +11", "Bob: +22"]);
    const open =
      card("FN:Ann", "TEL:+11", "AGENT:", "BEGIN:VCARD", "FN:Agent").replace("END:VCARD\r\n", "") + card("FN:Bob", "TEL:+22");
    expect(people(open)).toEqual(["Ann: +11", "Bob: +22"]);
  });

  test("with a fold inside a character, an invalid byte or half an emoji are otherwise read correctly", () => {
    const greek = bytesOf("Παπαδόπουλος");
    const folded = bytesOf(
      "BEGIN:VCARD\nFN:Νίκος\nNOTE:",
      [...greek.slice(0, 5)],
      "\r\n ",
      [...greek.slice(5)],
      "\nTEL:+30210\nEND:VCARD\n",
    );
    expect(read(folded).contacts[0]).toMatchObject({ firstName: "Νίκος", notes: "Παπαδόπουλος", repairs: [] });
    const half = bytesOf("BEGIN:VCARD\nFN:Zoë ", [0xf0, 0x9f, 0x98], "\nTEL:+1\nEND:VCARD\n", card("FN:Jörg", "TEL:+2"));
    expect(people(half)).toEqual(["Zoë: +1", "Jörg: +2"]);
    expect(repairs(half)[0]).toEqual(["bytes_left_out"]);
  });

  test("in Latin-1 among cards in UTF-8 are read correctly and reported", () => {
    const file = bytesOf(
      card("FN:Łukasz", "TEL:+1"),
      bytes("BEGIN:VCARD\nFN:J\xf6rg\nTEL:+2\nEND:VCARD\n"),
      card("FN:Ελένη", "TEL:+3"),
    );
    expect(people(file)).toEqual(["Łukasz: +1", "Jörg: +2", "Ελένη: +3"]);
    expect(repairs(file)).toEqual([[], ["other_charset"], []]);
    expect(read(file).facts).toMatchObject({ charset: "windows-1252", isMixed: true });
  });

  test("with a property that names its charset are read in that charset, plain or quoted-printable", () => {
    const cyrillic = [0xc8, 0xe2, 0xe0, 0xed];
    const file = bytesOf(
      "BEGIN:VCARD\nFN;CHARSET=windows-1251:",
      cyrillic,
      "\nORG;CHARSET=SHIFT_JIS:",
      [0x8e, 0x52, 0x93, 0x63],
      "\nTEL:+7\nEND:VCARD\n",
    );
    expect(read(file).contacts[0]).toMatchObject({ firstName: "Иван", company: "山田" });
    expect(people(card("FN;CHARSET=KOI8-R;ENCODING=QUOTED-PRINTABLE:=E9=D7=C1=CE", "TEL:+7"))).toEqual(["Иван: +7"]);
    expect(people(card("FN;CHARSET=ISO-8859-1:Łukasz", "TEL:+48"))).toEqual(["Łukasz: +48"]);
    expect(people(card("FN;CHARSET=no-such:Łukasz", "TEL:+48"))).toEqual(["Łukasz: +48"]);
  });

  test("with soft line breaks are joined with or without indentation, without losing the END line", () => {
    const quoted = (...lines: string[]) =>
      card("VERSION:2.1", "N;ENCODING=QUOTED-PRINTABLE;CHARSET=UTF-8:;=D0=98=D0=B2=D0=", ...lines, "TEL:+7");
    expect(people(quoted("=B0=D0=BD"))).toEqual(["Иван: +7"]);
    expect(people(quoted(" =B0=D0=BD"))).toEqual(["Иван: +7"]);
    expect(people(quoted("\t=B0=", " =D0=BD"))).toEqual(["Иван: +7"]);
    expect(people(card("FN;ENCODING=QUOTED-PRINTABLE:Ann=", " Fletcher", "TEL:+1"))).toEqual(["Ann Fletcher: +1"]);
    expect(people(card("TEL:+1", "FN;QUOTED-PRINTABLE:Ann=") + card("FN:Bob", "TEL:+2"))).toEqual(["Ann: +1", "Bob: +2"]);
  });

  test.each([
    [["N:王;小明;;;", "FN:王小明"], "王小明"],
    [["N:王;小明;;;"], "王小明"],
    [["N:山田;太郎", "FN:山田 太郎"], "山田 太郎"],
    [["N:김;민수", "FN:김민수"], "김민수"],
    [["N:Nagy;Anna;;;", "FN:Nagy Anna"], "Nagy Anna"],
    [["N:Nguyễn;Văn An", "FN:Nguyễn Văn An"], "Nguyễn Văn An"],
    [["N:El-Amin;Hassan;;Dr.;", "FN:Dr. Hassan El-Amin"], "Hassan El-Amin"],
    [["N:Nowak;Ola", "FN:Nowak, Ola"], "Ola Nowak"],
    [["N:Nowak;Ola;Maria", "FN:Ola Nowak"], "Ola Maria Nowak"],
    [["N:Smith;Jane", "FN:Mum"], "Mum"],
    [["N:Stevenson;John;Philip,Paul;Dr.;Jr.,M.D.,A.C.P.", "FN:Dr. John Philip Paul Stevenson"], "John Philip Paul Stevenson"],
    [["N:Helpline\\, North;;;;"], "Helpline, North"],
    [["N:Helpline, North;;;;"], "Helpline, North"],
    [["N:;;;;", "FN:", "NICKNAME:Zed"], "Zed"],
    [["N:;;;;", "ORG:Accra City Bank"], "Accra City Bank"],
  ])("with the lines %j have the name %s", (lines, name) => {
    expect(people(card("VERSION:3.0", ...lines, "TEL:+1"))).toEqual([`${name}: +1`]);
  });

  test("with each line end twice are read, whatever is folded", () => {
    const [note, name] = ["Call in the evening. ".repeat(9).trim(), "Wolfeschlegelsteinhausenbergerdorff ".repeat(2).trim()];
    const fold = (line: string) => line.replaceAll(/(.{74})(?=.)/g, "$1\r\n ");
    const file = card("VERSION:3.0", fold(`FN:Ann ${name}`), fold(`NOTE:${note}`), "TEL:+1") + card("FN:Bob", "TEL:+2");
    for (const twice of ["\r\n\r\n", "\r\r\n", "\n\n"]) {
      const [ann, bob] = read(file.replaceAll("\r\n", twice)).contacts;
      expect(ann).toMatchObject({ firstName: "Ann", lastName: name, notes: note, damage: null, repairs: [] });
      expect(bob).toMatchObject({ firstName: "Bob", numbers: [{ text: "+2" }] });
    }
  });

  test("with their version several times are one person each", () => {
    const file = card("VERSION:3.0", "VERSION:3.0", "PRODID:x", "VERSION:3.0", "FN:Ann", "TEL:+1") + card("FN:Bob", "TEL:+2");
    expect(people(file)).toEqual(["Ann: +1", "Bob: +2"]);
    expect(repairs(file)).toEqual([[], []]);
  });

  test("with CR line ends, base64 names and pictures in any encoding are read", () => {
    expect(people((card("FN:Ann", "TEL:+1") + card("FN:Bob", "TEL:+2")).replaceAll("\r\n", "\r"))).toEqual([
      "Ann: +1",
      "Bob: +2",
    ]);
    expect(people(card("FN;ENCODING=B:WmXDqw==".replace("WmXDqw==", btoa("Zoe")), "TEL:+1"))).toEqual(["Zoe: +1"]);
    const picture = "/9j/4AAQSkZJRgABAQAAAQABAAD".repeat(3);
    const pictures = [
      ["PHOTO;ENCODING=b;TYPE=JPEG:" + picture, ` ${picture}`],
      ["PHOTO;BASE64;JPEG:", picture, picture, ""],
      [`PHOTO:data:image/jpeg;base64,${picture}`, ` ${picture}`],
    ];
    for (const lines of pictures) expect(people(card("FN:Ann", ...lines, "TEL:+1"))).toEqual(["Ann: +1"]);
  });

  test("with seven megabytes of pictures are accepted", () => {
    const picture = ` ${"A".repeat(74)}\r\n`.repeat(10_000);
    const file = card("FN:Ann", `PHOTO;ENCODING=b:\r\n${picture}TEL:+1`).repeat(10);
    expect(file.length).toBeGreaterThan(7_000_000);
    expect(people(file)).toHaveLength(10);
  });

  test("with texts that are too long for a contact are shortened and reported", () => {
    const file = card(
      "FN:Ann",
      `ORG:${"o".repeat(130)}`,
      `NOTE:${"n".repeat(10_000)}`,
      "TEL:+1",
      "TEL;FAX:+2",
      "TEL:+44 20 7946 0000 / +49 711 1234567",
    );
    expect(repairs(file)).toEqual([["fax_left_out", "numbers_split", "company_shortened", "notes_shortened"]]);
    expect(read(file).contacts[0]?.notes).toHaveLength(2000);
  });
});

describe("malformed tables", () => {
  test.each<[string, string]>([
    ["Name,Surname,Phone\nAnna,Kowalska,+48 600 000 142", "Anna Kowalska"],
    ["Name;Vorname;Telefon\nWeiß;Jörg;+49 30 000142", "Jörg Weiß"],
    ["Nombre,Apellido paterno,Apellido materno,Teléfono\nAna,Ruiz,Gómez,+34 600 000 142", "Ana Ruiz Gómez"],
    ["الاسم الأول,اسم العائلة,رقم الجوال\nكريم,حسن,+20 100 123 4567", "كريم حسن"],
    ["姓,名,手机\n王,小明,+86 138 0013 8000", "王小明"],
    ["姓名,电话\n王小明,+86 138 0013 8000", "王小明"],
    ["이름,휴대폰\n김민수,+82 10 1234 5678", "김민수"],
    ["氏名,電話番号\n山田 太郎,+81 3 1234 5678", "山田 太郎"],
    ["Имя;Отчество;Фамилия;Мобильный телефон\nИван;Петрович;Кузнецов;+7 900 000-01-42", "Иван Петрович Кузнецов"],
    ["ФИО;Тел.\nКузнецов Иван;+7 900 000-01-42", "Кузнецов Иван"],
    ["Ім'я,Прізвище,Моб. телефон\nЮрій,Шевченко,+380 50 123 4567", "Юрій Шевченко"],
    ["Ad;Soyad;GSM\nIşıl;Yıldız;+90 532 000 01 42", "Işıl Yıldız"],
    ["Adı Soyadı;Cep Telefonu\nIşıl Yıldız;+90 532 000 01 42", "Işıl Yıldız"],
    ["Họ,Tên,Điện thoại di động\nNguyễn,An,+84 90 123 45 67", "An Nguyễn"],
    ["Voornaam;Tussenvoegsel;Achternaam;Mobiele telefoon\nZoë;de;Witt;+31 6 0000 0142", "Zoë de Witt"],
    ["Nome;Cognome;Cellulare\nNiccolò;Rossi;+39 320 000 0142", "Niccolò Rossi"],
    ["Nome;Sobrenome;Telemóvel\nInês;Costa;+351 910 000 142", "Inês Costa"],
    ["Imię;Nazwisko;Telefon komórkowy\nŁukasz;Nowak;+48 600 000 142", "Łukasz Nowak"],
    ["Jméno;Příjmení;Mobil\nJiří;Dvořák;+420 600 000 142", "Jiří Dvořák"],
    ["Förnamn;Efternamn;Mobilnummer\nÅsa;Berg;+46 70 000 01 42", "Åsa Berg"],
    ["Όνομα;Επώνυμο;Κινητό\nΝίκος;Παππάς;+30 690 000 0142", "Νίκος Παππάς"],
    ["पहला नाम,उपनाम,मोबाइल नंबर\nकमला,शर्मा,+91 98000 00142", "कमला शर्मा"],
    ["FirstName,LastName,MobilePhone\nAnn,Fletcher,+44 7700 900142", "Ann Fletcher"],
    ["Contact Name,Contact No\nAnn Fletcher,+44 7700 900142", "Ann Fletcher"],
    ["Company,Contact,Telefonnummer\nDesk Ltd,Ann Fletcher,+44 7700 900142", "Ann Fletcher"],
    ["Firma;Ansprechpartner;Rufnummer\nDesk GmbH;Jörg Weiß;+49 30 000142", "Jörg Weiß"],
    [
      "First,Middle,Last,Nickname,Email,Category,Home,Work,Pager,Fax,Mobile\nAnn,,Fletcher,,,,,,,,+44 7700 900142",
      "Ann Fletcher",
    ],
    ["Prénom,Nom,Portable\nZoé,Petit,+33 6 00 00 01 42", "Zoé Petit"],
    ["Nom et prénom;Tél.\nPetit Zoé;+33 6 00 00 01 42", "Petit Zoé"],
    ["Name,Given Name,Family Name,Phone 1 - Value\nKwame Mensah,Kwame,Mensah,+233 20 000 0142", "Kwame Mensah"],
    [
      "Phonetic First Name,First Name,Last Name,Assistant's Phone,Business Phone\nyo,Ann,Fletcher,+1 212 555 0100,+44 7700 900142",
      "Ann Fletcher",
    ],
    ["שם פרטי,שם משפחה,טלפון נייד\nשרה,לוי,+972 50 123 4567", "שרה לוי"],
  ])("such as %j contain %s", (table, name) => {
    expect(people(table)).toEqual([expect.stringMatching(new RegExp(`^${name}: \\+[\\d -]+$`))]);
  });

  test("with unknown headers are read by content, without taking dates and postcodes for numbers", () => {
    expect(people("Kunde;Geburtstag;PLZ;Erreichbar unter\nJörg Weiß;1990-01-31;12345-6789;+49 30 000142\n")).toEqual([
      "Jörg Weiß: +49 30 000142",
    ]);
    expect(people("Ola,Nowak,+48 22 500 0142\nHassan,Amin,+971 4 500 0142\n")).toEqual([
      "Ola Nowak: +48 22 500 0142",
      "Hassan Amin: +971 4 500 0142",
    ]);
    expect(people("\u202a+48–22–500–0142\u202c;Ola Nowak\n‎+971‑4‑5000142;Hassan\n")).toEqual([
      "Ola Nowak: +48–22–500–0142",
      "Hassan: +971‑4‑5000142",
    ]);
    expect(people("1000001,Ola Nowak,+48 22 500 0142\n1000002,Al,+48 22 500 0143\n")).toEqual([
      "Ola Nowak: +48 22 500 0142",
      "Al: +48 22 500 0143",
    ]);
  });

  test("are read with the user's columns and charset instead of the detected ones", () => {
    const table = "a,b,c\nNowak,x,+48 22 500 0142\n";
    const columns: ColumnRole[] = ["last_name", "first_name", "phone"];
    expect(people(table, { charset: null, columns })).toEqual(["x Nowak: +48 22 500 0142"]);
    expect(
      people(bytesOf(bytes("Name,Phone\n\xc8\xe2\xe0\xed,+7 900 000 0142\n")), { charset: "windows-1253", columns: null }),
    ).toEqual(["Θβΰν: +7 900 000 0142"]);
    expect(read(table).facts?.columns.map(({ head, role, samples }) => [head, role, samples])).toEqual([
      ["a", "first_name", ["Nowak"]],
      ["b", "last_name", ["x"]],
      ["c", "phone", ["+48 22 500 0142"]],
    ]);
  });

  test("with an invalid byte in a note have correct names", () => {
    const file = bytesOf("Name,Phone,Notes\nŁukasz,+48 22 500 0142,caf", [0xff], " é\nΕλένη,+30 21 0123 4567,\n");
    expect(people(file)).toEqual(["Łukasz: +48 22 500 0142", "Ελένη: +30 21 0123 4567"]);
    expect(repairs(file)).toEqual([["bytes_left_out"], []]);
  });

  test("with an unclosed quotation mark lose no other row", () => {
    const file = 'Name,Phone,Notes\n"Anna,+48 22 500 0142,a\nBob,+48 22 500 0143,"b"\nCy,+48 22 500 0144,"c\n';
    expect(people(file)).toEqual(['"Anna: +48 22 500 0142', "Bob: +48 22 500 0143", "Cy: +48 22 500 0144"]);
    expect(repairs(file)).toEqual([["quote_not_closed"], [], ["quote_not_closed"]]);
  });

  test("with several numbers in a cell are split", () => {
    expect(people("Name,Phone\nAnn,+44 20 7946 0000; +49 711 1234567\n")).toEqual(["Ann: +44 20 7946 0000 +49 711 1234567"]);
  });
});

describe("arbitrary bytes", () => {
  const piece = fc.oneof(
    fc.constantFrom(
      "BEGIN:VCARD\n",
      "END:VCARD\n",
      "FN:",
      "TEL:+442079460000\n",
      "=\n",
      "=C3",
      ";",
      ",",
      '"',
      "\n",
      "\r",
      "\t",
      " ",
      "N:",
      "AGENT:\n",
    ),
    fc.constantFrom("Name,Phone\n", ";CHARSET=shift_jis", ";ENCODING=QUOTED-PRINTABLE:", "\\", "::: "),
    fc.uint8Array({ maxLength: 12 }),
  );
  property.prop({ pieces: fc.array(piece, { maxLength: 60 }) })(
    "are read without an exception, and every contact is complete",
    ({ pieces }) => {
      const file = bytesOf(...pieces.map((one) => (typeof one === "string" ? one : [...one])));
      const result = parseContactFile(file);
      if (!result.ok) return;
      for (const { firstName, lastName, numbers } of result.contacts) {
        expect(firstName === "" && lastName !== "").toBe(false);
        for (const { text } of numbers) expect(text).not.toBe("");
      }
    },
  );

  const people =
    card("VERSION:3.0", "N:Łukasz;Nowak", "FN:Łukasz Nowak", "TEL:+48225000142", "NOTE:Παπαδόπουλος") +
    card("FN:Bob", "TEL:+442079460000");
  property.prop({ at: fc.nat(people.length), byte: fc.nat(255) })(
    "that replace a byte of one card do not change the names of others",
    ({ at, byte }) => {
      const before = card("FN:Ελένη", "TEL:+302101234567");
      const file = bytesOf(before, people, card("FN:Zoë", "TEL:+31600000142"));
      file[bytesOf(before).length + at] = byte;
      const result = parseContactFile(file);
      if (!result.ok) throw new Error("refused");
      expect(result.contacts[0]).toMatchObject({ firstName: "Ελένη", numbers: [{ text: "+302101234567" }] });
      expect(result.contacts.some(({ firstName, numbers }) => firstName === "Zoë" && numbers[0]?.text === "+31600000142")).toBe(
        true,
      );
    },
  );

  test.each(["BEGIN:VCARD", "VERSION:3.0"])("that put a space at the start of the %s line do not join two cards", (line) => {
    const damaged = people.replace(line, ` ${line.slice(1)}`);
    const result = parseContactFile(bytesOf(card("FN:Ελένη", "TEL:+302101234567"), damaged));
    if (!result.ok) throw new Error("refused");
    expect(result.contacts[0]).toMatchObject({ firstName: "Ελένη", numbers: [{ text: "+302101234567" }] });
    expect(result.contacts.at(-1)).toMatchObject({ firstName: "Bob", numbers: [{ text: "+442079460000" }] });
  });

  const size = process.env["FULL"] === "1" ? contactFileLimits.bytes - 1000 : 400_000;
  test.each([
    ['"'.repeat(size)],
    [",".repeat(size)],
    [`first_name,phone\n"${'"'.repeat(size)}`],
    ['"a\n'.repeat(size / 3)],
    ['"a,"b,""\n'.repeat(size / 9)],
    ["\r\n".repeat(size / 2)],
    [`BEGIN:VCARD\nNOTE;ENCODING=QUOTED-PRINTABLE:${"=\n".repeat(size / 2)}`],
    [`BEGIN:VCARD\nNOTE:${"\n x".repeat(size / 3)}`],
    [`BEGIN:VCARD\nTEL${";".repeat(size)}:1`],
    [`BEGIN:VCARD\nORG:${"\\".repeat(size)}`],
    [`BEGIN:VCARD\nTEL:${"1234567;".repeat(size / 8)}`],
    ["BEGIN:VCARD\n".repeat(size / 12)],
    ["BEGIN:VCARD\nAGENT:\n".repeat(size / 20)],
    ["BEGIN:VCARD\nEND:VCARD\n".repeat(size / 22)],
    [`BEGIN:VCARD\nPHOTO:\n${" A\n".repeat(size / 3)}`],
    [`Name,Phone\n${"\xff,\xe4\n".repeat(size / 5)}`],
    [`Name,Phone\n${`${"é".repeat(200)},${"1".repeat(200)}\n`.repeat(size / 600)}`],
  ])("of hostile file %# are read in short steps", (text) => {
    const file = Uint8Array.from(text, (letter) => letter.charCodeAt(0));
    let longest = 0;
    let began = process.cpuUsage();
    const step = () => {
      const { user, system } = process.cpuUsage(began);
      longest = Math.max(longest, (user + system) / 1000);
      began = process.cpuUsage();
    };
    const opening = openContactFile(file, { charset: null, columns: null });
    let opened = opening.next();
    for (; opened.done !== true; opened = opening.next()) step();
    for (let next = opened.value.contacts.next(); next.done !== true; next = opened.value.contacts.next()) step();
    // Milliseconds of processor. Reading the file in one step, or its rest for each row, would take seconds.
    expect(longest).toBeLessThan(400);
  });
});
