import { expect, test } from "vitest";
import { charsets } from "./alphabets.ts";
import { detectCharset } from "./detect-charset.ts";

/** Encodes by inverting the decoder; every charset here maps a letter to one or two bytes. */
function encoder(charset: string): (text: string) => Uint8Array {
  const decoder = new TextDecoder(charset, { fatal: true });
  const bytesOf = new Map<string, number[]>();
  const learn = (bytes: number[]) => {
    try {
      const sign = decoder.decode(Uint8Array.from(bytes));
      if ([...sign].length === 1 && !bytesOf.has(sign)) bytesOf.set(sign, bytes);
    } catch {
      // Not a character of this charset.
    }
  };
  for (let byte = 0; byte < 256; byte += 1) learn([byte]);
  if (/jis|gb|big5|euc/.test(charset))
    for (let lead = 0x81; lead < 0xff; lead += 1) for (let trail = 0x40; trail < 0xff; trail += 1) learn([lead, trail]);
  return (text) =>
    Uint8Array.from(
      [...(charset === "windows-1258" ? withLooseTones(text) : text)].flatMap((sign) => {
        const bytes = bytesOf.get(sign);
        if (bytes === undefined) throw new Error(`${sign} is not in ${charset}`);
        return bytes;
      }),
    );
}

/** Windows encodes a Vietnamese vowel and its tone separately. */
function withLooseTones(text: string): string {
  const composed = (_: string, letter: string, dot: string, mark: string) => (letter + mark).normalize("NFC") + dot;
  return text.normalize("NFD").replace(/(\p{L})(\u0323?)([\u0302\u0306\u031b])/gu, composed);
}

test.each([
  [
    "windows-1252",
    ["Jörg Meier", "Jörg Weiß\nRené Müller", "Prénom;Nom;Téléphone\nHélène;Lefèvre\nZoé;Petit", "José Núñez\nIñigo Peña"],
  ],
  [
    "windows-1252",
    ["João Conceição\nInês Magalhães", "Åsa Sjöström\nBjörn Håkansson", "Søren Kjær\nÆgir Østergård", "Niccolò Però"],
  ],
  [
    "windows-1250",
    [
      "Łukasz Wiśniewski",
      "Imię,Nazwisko\nŁukasz,Wiśniewski\nGrażyna,Żółć",
      "Jiří Novák",
      "Nagy László\nKovács Győző\nSzűcs Ágnes",
    ],
  ],
  [
    "windows-1250",
    ["Ime,Prezime\nMarko,Marčić\nŽeljka,Šarić", "Ştefan,Ţurcanu\nIoană,Brânză", "Ľubomír Vašíček\nZuzana Kováčová"],
  ],
  ["windows-1254", ["Ad,Soyad\nIşıl,Yıldız\nÇağrı,Öztürk", "Ayşe Yılmaz", "İsim;Telefon\nŞahin Doğan\nGülşen Çelik"]],
  ["windows-1257", ["Vārds,Uzvārds\nJānis,Bērziņš", "Vardas,Pavardė\nŠarūnas,Žukauskas\nEglė,Jankauskienė"]],
  ["windows-1258", ["Nguyễn Thị Hồng\nTrần Văn Đức"]],
  [
    "windows-1251",
    ["Иван", "Имя,Фамилия\nИван,Кузнецов", "ИВАНОВ ИВАН\nПЕТРОВА ОЛЬГА", "Прізвище\nЮрій,Шевченко\nЇжакевич Євген"],
  ],
  ["windows-1251", ["Георги Димитров\nЦветан Ъгълов", "Ђорђе Љубић"]],
  ["koi8-u", ["Имя,Фамилия\nИван,Кузнецов", "Ольга Смирнова"]],
  ["ibm866", ["Имя,Фамилия\nИван,Кузнецов\nОльга"]],
  ["iso-8859-5", ["Иван Кузнецов\nОльга Смирнова"]],
  ["windows-1253", ["Ελένη Γεωργίου", "Όνομα,Επώνυμο\nΝίκος,Παπαδόπουλος"]],
  ["windows-1256", ["محمد الشريف", "الاسم الأول,اسم العائلة\nمحمد,الشريف\nفاطمة,حسن"]],
  ["windows-1255", ["שרה לוי", "שם,טלפון\nדוד כהן"]],
  ["windows-874", ["สมหญิง", "ชื่อ,โทรศัพท์\nสมชาย ใจดี"]],
  [
    "shift_jis",
    ["山田太郎", "氏名,電話番号\n山田太郎\n佐藤花子", "姓,名,フリガナ\n鈴木,一郎,スズキ", "ﾔﾏﾀﾞ ﾀﾛｳ\nｽｽﾞｷ ｲﾁﾛｳ", "高橋さくら"],
  ],
  ["euc-jp", ["氏名,電話番号\n山田太郎\n高橋さくら"]],
  ["gb18030", ["王小明", "姓名,电话\n王小明\n李雷\n韩梅梅", "张伟\n刘洋\n陈静", "姓,名,手机\n欧阳,娜娜"]],
  ["big5", ["陳美玲", "姓名,電話\n王小明\n陳美玲", "林志玲\n張惠妹\n蔡依林"]],
  ["euc-kr", ["김민수", "이름,전화\n김민수\n박지은", "최현우\n정수빈"]],
  ["iso-8859-2", ["Imię,Nazwisko\nŁukasz,Wiśniewski\nŻaneta Gąska"]],
  ["macintosh", ["Prénom;Nom\nHélène;Lefèvre", "Jörg Müller\nBjörn Weiß"]],
])("%s is detected from a few names", (charset, texts) => {
  const encode = encoder(charset);
  for (const text of texts) {
    const bytes = encode(text);
    const found = detectCharset(bytes);
    expect([text, found, new TextDecoder(found).decode(bytes).normalize("NFC")]).toEqual([text, found, text]);
  }
});

test("the runtime can decode every charset", () => {
  for (const { name } of charsets) expect(new TextDecoder(name).encoding).toBe(name);
});
