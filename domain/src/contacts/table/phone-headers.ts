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
const FAX = /fax|faks|факс|φαξ|传真|傳真|ファックス|ファクス|팩스|فاكس|फैक्स|פקס|\bpager\b|\bbeeper\b|пейджер|paget/;
const PHONE_TYPE = /^(phone number type|phone type|type of phone|telefontyp|type de téléphone|tipo de teléfono)$/;
/** Headers that name only the type of number, as Yahoo and Apple write them; the content must look like numbers. */
const BARE_TYPES =
  /^(home|work|mobile|cell|other|main|primary|business|office|private|iphone|landline|privat|arbeit|zuhause|büro|geschäftlich|festnetz|domicile|maison|travail|bureau|fixe|casa|trabajo|oficina|fijo|lavoro|ufficio|trabalho|fixo|thuis|werk|dom|praca|domů|ev|iş|дом|домашний|рабочий|работа|المنزل|العمل|घर|कार्यालय|家|家庭|工作|单位电话|自宅|勤務先|집|직장|nhà|cơ quan)$/;
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
        "work|business|company|office|arbeit|büro|geschäft|dienst|travail|bureau|professionnel|trabajo|oficina|lavoro|ufficio|trabalho|werk|zakelijk|praca|służb|práce|\\biş\\b|ofis|рабоч|служеб|робоч|εργασ|العمل|مكتب|עבודה|कार्य|工作|办公|公司|单位|会社|勤務|職場|직장|회사|cơ quan",
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

/** The type of number that a label of Google, Outlook, Apple or a vCard names; `other` if unknown. */
export function phoneTypeOf(label: string): PhoneType {
  const words = foldText(label);
  return TYPE_WORDS.find(([word]) => word.test(words))?.[1] ?? "other";
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
  return BARE_TYPES.test(head) ? "bare" : "none";
}

/** @param head from `cleanHeader` */
export function isEmailHeader(head: string): boolean {
  const words = head.split(" ");
  if (/\b(type|typ|tipo|label|display name|anzeigename)\b/.test(head)) return false;
  return EMAIL.some((word) => (word.length < 5 ? words.includes(word) : head.includes(word)));
}

/** Our export has "phone number 2 type" with "phone number 2"; Google's "phone 1 label" (before 2024 "type") with "phone 1 value". */
export function typeColumnOf(heads: readonly string[], head: string): number | null {
  const stem = head.replace(/ value$/, "");
  const index = heads.findIndex((one) => one === `${stem} label` || one === `${stem} type`);
  return index === -1 ? null : index;
}

function folded(words: string): string[] {
  return words.split("|").map((word) => foldText(word.trim()));
}
