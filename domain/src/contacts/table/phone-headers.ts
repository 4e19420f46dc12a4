import type { PhoneType } from "../contact-file.ts";
import { foldText } from "../fold-text.ts";

/** Folded words that mark a column of phone numbers. Short words must stand alone; `PHONE_PARTS` also match inside words. */
const PHONE_WORDS = folded(
  "tel|tels|telf|tlf|tlfn|fono|fon|mob|gsm|cel|cell|cep|hp|puh|sdt|đt|tél|ph|тел|моб|τηλ|κιν|جوال|نقال|محمول|خلوي|טל",
);
const PHONE_PARTS = folded(
  `phone|telef|telepon|téléph|mobil|mobiel|handy|cellul|celul|portable|móvil|movil|telem|whatsapp|viber|rufnummer|kontaktnummer|smartphone|ponsel|
  puhelin|komórk|komork|điện thoại|di động|телеф|мобил|мобіл|сотов|viber|τηλέφ|κινητ|هاتف|تليفون|تلفون|موبايل|تلفن|موبایل|همراه|فون|טלפון|נייד|פלאפון|
  फोन|मोबाइल|दूरभाष|ফোন|মোবাইল|电话|電話|手机|手機|移动|携帯|전화|휴대|핸드폰|연락처|โทร|มือถือ|simu|contact no|contact number|contact nr|contact num|numero de contact|
  número de contacto|номер для связи|رقم التواصل|رقم الاتصال|联系方式|聯絡方式|連絡先`,
);
/** Headers that mean phone numbers only if no other column clearly does. */
const NUMBER_HEADERS = new Set(
  folded(
    "number|numbers|numero|numéro|número|nummer|nr|no|num|numer|číslo|szám|номер|номера|αριθμός|رقم|الرقم|מספר|नंबर|号码|號碼|番号|번호|số|nomor|numara|nambari",
  ),
);
/** Headers of columns that describe a number, or whose numbers reach nobody or another person. */
const NO_PHONE = folded(
  `type|kind|label|telex|tty|tdd|isdn|country|area|code|extension|ext|carrier|note|notes|provider|callback|emergency|spouse|manager|managers|vorwahl|
  landesvorwahl|typ|тип|tipo|email|mail`,
);
const NO_PHONE_PARTS = folded(
  "phonetic|assist|asist|asyst|ayudante|yardımcı|помощник|ассистент|помічник|βοηθ|مساعد|עוזר|助理|秘書|비서",
);
const FAX = new RegExp(
  folded("fax|faks|факс|φαξ|传真|傳真|ファックス|ファクス|팩스|فاكس|फैक्स|פקס|\\bpager\\b|\\bbeeper\\b|пейджер|paget").join("|"),
);
const PHONE_TYPE = new RegExp(
  `^(?:${folded("phone number type|phone type|type of phone|kind of number|type of number|number type|telefontyp|type de téléphone|type de numéro|tipo de teléfono|tipo de número|tipo di numero|नंबर का प्रकार|نوع الرقم|نوع الهاتف").join("|")})(?: \\d+)?$`,
);
/** Headers that name only the type of number, as Yahoo and Apple write them; the content must look like numbers. */
const BARE_TYPES = new Set(
  folded(
    "home|work|mobile|cell|other|main|primary|business|office|private|iphone|landline|privat|arbeit|zuhause|büro|geschäftlich|festnetz|domicile|maison|travail|bureau|fixe|casa|trabajo|oficina|fijo|lavoro|ufficio|trabalho|fixo|thuis|werk|dom|praca|domů|ev|iş|дом|домашний|рабочий|работа|المنزل|العمل|घर|कार्यालय|家|家庭|工作|单位电话|自宅|勤務先|집|직장|nhà|cơ quan",
  ),
);
const EMAIL = folded(
  "email|e mail|mail|mails|courriel|correo|correos|mejl|sähköposti|eposta|e posta|почта|пошта|имейл|адрес эл почты|البريد|بريد|إيميل|ايميل|ایمیل|מייל|אימייל|דואל|ईमेल|邮箱|电子邮件|电邮|電郵|電子郵件|メール|メアド|이메일|메일|thư điện tử|อีเมล|barua pepe|levelezési|ηλεκτρονικ|poczta|pošta",
);

const TYPE_WORDS: readonly (readonly [RegExp, PhoneType])[] = [
  [
    new RegExp(
      folded(
        "mobile|mobil|mobiel|cell|\\bcar\\b|iphone|android|handy|portable|móvil|celul|gsm|whatsapp|\\bcep\\b|komórk|мобил|мобіл|сотов|κινητ|मोबाइल|جوال|محمول|موبايل|نقال|موبایل|همراه|נייד|手机|手機|移动|携帯|휴대|핸드폰|di động|มือถือ",
      ).join("|"),
    ),
    "mobile",
  ],
  [
    new RegExp(
      folded(
        "work|काम|عمل|business|company|office|arbeit|büro|geschäft|dienst|travail|bureau|professionnel|trabajo|oficina|lavoro|ufficio|trabalho|werk|zakelijk|praca|służb|práce|\\biş\\b|ofis|рабоч|служеб|робоч|εργασ|العمل|مكتب|עבודה|कार्य|工作|办公|公司|单位|会社|勤務|職場|직장|회사|cơ quan",
      ).join("|"),
    ),
    "work",
  ],
  [
    new RegExp(
      folded(
        "home|privat|domicile|maison|casa|particular|hjem|\\bhem\\b|thuis|\\bdom|\\bev\\b|домаш|οικ|منزل|المنزل|בית|घर|家|住宅|自宅|집|nhà|บ้าน",
      ).join("|"),
    ),
    "home",
  ],
];

/** Kinds of numbers that nobody answers by voice, in any label, type or header. */
const NOT_FOR_VOICE = /\b(?:pager|beeper|telex|modem|bbs|video|tty|tdd|textphone|isdn)\b/;

interface Label {
  readonly type: PhoneType;
  readonly isNotForVoice: boolean;
}
/** Files repeat a few labels in every row. */
const MAX_REMEMBERED = 500;
const remembered = new Map<string, Label>();

function readLabel(label: string): Label {
  const known = remembered.get(label);
  if (known !== undefined) return known;
  const words = foldText(label);
  const type = TYPE_WORDS.find(([word]) => word.test(words))?.[1] ?? "other";
  const read = { type, isNotForVoice: FAX.test(words) || NOT_FOR_VOICE.test(words) };
  if (remembered.size >= MAX_REMEMBERED) remembered.clear();
  remembered.set(label, read);
  return read;
}

/** Whether a label or the types of a card say that a number is a fax, a pager or a modem. */
export function isNotForVoice(label: string): boolean {
  return /\p{L}{2}/u.test(label) && readLabel(label).isNotForVoice;
}

/** The type of number that a label of Google, Outlook, Apple or a vCard names; `other` if unknown. */
export function phoneTypeOf(label: string): PhoneType {
  return readLabel(label).type;
}

/** What a header says about phone numbers. `bare` headers count only if the column's content looks like numbers. */
type PhoneHeader = "phone" | "number" | "bare" | "type" | "fax" | "none";

/** @param head from `cleanHeader` */
export function phoneHeaderOf(head: string): PhoneHeader {
  if (PHONE_TYPE.test(head)) return "type";
  if (FAX.test(head)) return "fax";
  const words = head.split(" ");
  if (NO_PHONE.some((word) => words.includes(word)) || NO_PHONE_PARTS.some((part) => head.includes(part))) return "none";
  if (PHONE_WORDS.some((word) => words.includes(word)) || PHONE_PARTS.some((part) => head.includes(part))) return "phone";
  if (NUMBER_HEADERS.has(head)) return "number";
  return BARE_TYPES.has(head) ? "bare" : "none";
}

/** @param head from `cleanHeader` */
export function isEmailHeader(head: string): boolean {
  const words = head.split(" ");
  if (/\b(type|typ|tipo|label|display name|anzeigename)\b/.test(head)) return false;
  return EMAIL.some((word) => (word.length < 5 ? words.includes(word) : head.includes(word)));
}

/**
 * The column with the types of a phone column. Our export has "phone number 2 type" with "phone number 2", or "kind of number 2" behind
 * it; Google's "phone 1 label" (before 2024 "type") with "phone 1 value".
 */
export function typeColumnOf(heads: readonly string[], phone: number): number | null {
  const stem = (heads[phone] ?? "").replace(/ value$/, "");
  const index = heads.findIndex((one) => one === `${stem} label` || one === `${stem} type`);
  if (index !== -1) return index;
  return phoneHeaderOf(heads[phone + 1] ?? "") === "type" ? phone + 1 : null;
}

/** What a header says about the numbers of its row. The content decides what a `prefix` or `code` is. */
type PlaceHeader = "country" | "address_country" | "area_code" | "extension" | "prefix" | "code";

const COUNTRY_WORDS = folded(
  `country|countries|nation|land|länder|pays|país|pais|paese|nazione|kraj|kraju|państwo|страна|страны|країна|країни|држава|държава|država|drzava|země|zeme|krajina|
  ország|orszag|țara|țară|țării|ülke|ulke|ülkesi|χώρα|χώρας|maa|riik|negara|bansa|nchi|ሀገር|አገር|देश|राष्ट्र|দেশ|দেশের|ملک|کشور|دولة|الدولة|البلد|بلد|מדינה|ארץ|nước|quốc gia`,
);
const COUNTRY_PARTS = folded(
  "国家|國家|国名|國名|国コード|国番号|國碼|国码|나라|국가|ประเทศ|landesvorwahl|ländervorwahl|länderkennzahl|landesvorwahl|ländercode|landcode|landkode|landskod|landnummer|landsnummer|maatunnus|maakood",
);
/** Headers of dialling codes that do not name a country. */
const DIAL_HEADERS = new Set(
  folded(
    `cc|isd|isd code|idd|idd code|ddi|dial code|dialing code|dialling code|calling code|international code|intl code|int code|international prefix|international dialing code|
    international dialling code|phone code|telephone code|dial prefix|indicatif|indicatif international|indicatif téléphonique|préfixe international|prefijo internacional|lada internacional|
    código internacional|código ddi|indicativo|indicativo internacional|prefisso internazionale|internationale vorwahl|auslandsvorwahl|internationaal nummer|kod międzynarodowy|
    международный код|код набора|міжнародний код|uluslararası kod|mezinárodní předvolba|国际区号|國際區號|国际冠码|國際冠碼|国際番号|국제번호|mã quốc tế|kode internasional|مفتاح الدولة|
    رمز الاتصال الدولي|المفتاح الدولي|كود دولي|کد بین المللی|קידומת בינלאומית|अंतरराष्ट्रीय कोड|आईएसडी कोड|আন্তর্জাতিক কোড|รหัสระหว่างประเทศ|msimbo wa kimataifa`,
  ),
);
const AREA_HEADERS = new Set(
  folded(
    `area code|area|city code|std|std code|trunk code|ddd|lada|clave lada|código de área|codigo area|código de ciudad|indicatif régional|ortsvorwahl|ortskennzahl|netzkennzahl|prefisso locale|
    riktnummer|netnummer|kengetal|suuntanumero|numer kierunkowy|kierunkowy|код города|код міста|alan kodu|předvolba|μέτρο περιοχής|区号|區號|市外局番|지역번호|mã vùng|kode area|รหัสพื้นที่|رمز المنطقة|
    کد شهر|קידומת אזור|एसटीडी कोड|क्षेत्र कोड`,
  ),
);
const PREFIX_PARTS = folded(
  "prefix|vorwahl|indicatif|indicativo|préfix|prefij|prefiss|prefiks|префикс|префікс|předvolb|پیش شماره|קידומת",
);
const CODE_HEADERS = new Set(folded("code|codes|código|codice|код|kod|kode|mã|رمز|كود|کوڈ|कोड|কোড|รหัส"));
const DIALLING = /\b(?:dial|dialing|dialling|calling|isd|idd)\b/;
const EXTENSION = new RegExp(
  `^(?:${folded("extension|extensions|extn|ext|ext no|extension number|durchwahl|durchwahlnummer|nebenstelle|klappe|poste|interno|extensión|anexo|ramal|toestel|toestelnummer|anknytning|lokalnummer|wewnętrzny|numer wewnętrzny|linka|mellék|dahili|dahili no|добавочный|доб|внутренний|внутренний номер|додатковий|εσωτερικό|تحويلة|التحويلة|رقم التحويلة|داخلی|שלוחה|विस्तार|एक्सटेंशन|分机|分机号|分機|内線|内線番号|내선|내선번호|máy nhánh|số máy lẻ|ต่อ|tambahan|ekstensi").join("|")})$`,
);
/** Words that may surround a country's or extension's header without changing its meaning. */
const NEUTRAL = new Set(
  folded(
    "code|codes|name|iso|iso2|iso3|region|dial|dialing|dialling|calling|prefix|of|the|no|nr|number|de|del|du|da|di|do|la|le|el|id|2|3|alpha|code2|code3|kod|kodu|kodi|kode|codigo|código|codice|codi|indicatif|préfixe|prefijo|prefisso|vorwahl|кода|код|कोड|का|কোড|رمز|كود|کوڈ|کا|کد|mã|ya|wa|msimbo",
  ),
);

/** @param head from `cleanHeader` */
export function placeHeaderOf(head: string): PlaceHeader | null {
  if (DIAL_HEADERS.has(head)) return "country";
  if (AREA_HEADERS.has(head)) return "area_code";
  if (CODE_HEADERS.has(head)) return "code";
  const rest = ownerOf(head);
  if (EXTENSION.test(rest)) return "extension";
  const words = head.split(" ");
  const isCountry = COUNTRY_WORDS.some((word) => (word.includes(" ") ? head.includes(word) : words.includes(word)));
  if (!isCountry && !COUNTRY_PARTS.some((part) => head.includes(part))) {
    if (words.length > 1 && words.some((word) => EXTENSION.test(word))) return "extension";
    if (DIALLING.test(head)) return "country";
    return PREFIX_PARTS.some((part) => head.includes(part)) && !namesPerson(head) ? "prefix" : null;
  }
  return rest === "" || namesPhone(rest) ? "country" : "address_country";
}

/** The part of a header that names the number to which a country, area code or extension belongs: "mobile" of "Mobile country code". */
export function ownerOf(head: string): string {
  const phrases = [...COUNTRY_PARTS, ...COUNTRY_WORDS.filter((word) => word.includes(" "))];
  const rest = phrases.reduce((text, phrase) => text.replace(phrase, ""), head);
  return rest
    .split(" ")
    .filter((word) => word !== "" && !NEUTRAL.has(word) && !COUNTRY_WORDS.includes(word))
    .join(" ");
}

/** "Name prefix" is a title. */
function namesPerson(head: string): boolean {
  return /\b(?:name|nom|nombre|nome|title)\b/.test(head);
}

function namesPhone(words: string): boolean {
  return PHONE_PARTS.some((part) => words.includes(part)) || words.split(" ").some((word) => PHONE_WORDS.includes(word));
}

function folded(words: string): string[] {
  return words.split("|").map((word) => foldText(word.trim()));
}
