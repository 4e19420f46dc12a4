import { asciiDigits } from "../ascii-digits.ts";
import { cleanExtension, MAX_EXTENSION_LENGTH, withDefaultPause } from "./extension.ts";

/** A number and the extension that is dialled after the answer. */
interface NumberText {
  /** ASCII digits and separators, possibly after a plus. Letters, * and # are kept unless they belong to a label. */
  readonly number: string;
  /** Digits, * and #, with a comma for each pause; may be empty. */
  readonly extension: string;
}

/** Longer texts are not phone numbers. */
export const MAX_NUMBER_TEXT_LENGTH = 120;

/** Links that start with a number, which RFC 3966 parameters may follow. */
const LINK =
  /^\s*(?:tel|callto|sips?|(?:sms|mms)(?:to)?|fax|skype|whatsapp|facetime(?:-audio)?|zoomphonecall|intent(?=:[+\d])):(?:\/\/)?(?=[^/?]*\d)/iu;
/** Links of chats (wa.me, signal.me, t.me, `?phone=`), whose number is always international and often without its plus. */
const CHAT_LINK = /^\s*(?:(?:\w+:\/+)?[\w.]*\bme\/(?:#p\/)?|intent:\/\/send\/|\S*[?&](?:phone|number)=)\s*\+?(?=\d)/iu;
/** Placeholder for a carrier code in Brazil: "0xx21", "(0**11)". */
const ANY_CARRIER = /(^|[^\d])0\s*-?(?:xx|\*\*)\s*-?/iu;

export const EXTENSION_WORDS: string = [
  "extension|extensión|extn|ext|xtn|xt|x|option|opt|pin|poste|interno|int|dahili|durchwahl|dw|nebenstelle|nst|klappe|kl|ramal|anexo",
  "toestel|tst|anknytning|ankn|lokal|local|loc|linje|apparat|app|alanumero|wewnętrzny|wewn|wew|linka|mellék|mell|доб|добавочный|дод",
  "вн|внутр|вътр|анекс|tambahan|pesawat|pes|psw|máy|nhánh|εσωτ|εσωτερικό|שלוחה|تحويلة|داخلي|داخلی|एक्सटेंशन|विस्तार|ต่อ|内線|内线|分机|分機",
  "转|轉|내선|교환",
].join("|");
const NAMED = new RegExp(
  String.raw`^(?<number>[^,;]*?\d[^\d\p{L}#*]*?)[\s,;./(\[-]*(?:(?<!\p{L})(?:${EXTENSION_WORDS})|#)[\s.:=#-]*(?:(?:number|no|nr|n[°º]|lẻ)[\s.:#-]*)?(?<digits>\d[\d\s*#,;pw-]*)[)\]]?\s*$`,
  "iu",
);
/** Pauses: commas, semicolons, and after a whole number the letters p and w of address books. */
const PAUSED = /^(?<number>[^,;]*?\d[^,;]*?)\s*(?<rest>[,;].*|(?<=(?:\d\D*){7}\s*)[pw][\d\s*#,;pw]*)$/iu;
/** Another number, no tones: seven digits or more after a pause, without a second pause or a key; or a plus. */
const SECOND = /^(?!.*(?:[,;]\s*[,;]|[*#])).*[,;](?:[^,;]*\d){7}[^,;]*$|[,;].*\+/;
/** What people write between the groups of one number, for a character class. */
export const GROUPING = String.raw`\s\p{Pd}\u2212.·‧・_~'’)\]`;
/** Any other sign behind a whole number: what follows may be another number, or none, such as a footnote or the hours. */
const BEHIND_WHOLE = new RegExp(
  String.raw`^((?:\D*\d){8,})[${GROUPING}]*[^${GROUPING}\d\p{L}+,;*#|][^\d\p{L}+,;*#|]*(?=\d)`,
  "u",
);

/**
 * "Tel. (Anna):", "Tel. 2:", "2. ". A label ends with punctuation or a space; letters adjacent to digits are part of the number. A digit
 * counts the lines of a list if what follows is clearly the start of a number.
 */
const LABEL_IN_FRONT = /^(?:[^\d+*#]*\p{L}[^\d+*#\p{L}]*)?(?:(?<!\()[1-9][.:)]\s*(?=\(?[+0])|(?<=\p{L}[^\p{L}]*)(?=[\d+*#]))/u;
const TOUCHES_NUMBER = /\p{L}['’-]*\(?$/u;
const LABEL_BEHIND =
  /\s*(?:[([{<][^\d()[\]{}<>]*\p{L}[^\d()[\]{}<>]*[)\]}>]|(?<=[\s,;:/-])(?:mobile|mobil|mob|cell|handy|home|work|office|fax|privat|büro|casa|móvil|movil|trabajo|oficina|portable|bureau|maison|domicile|घर|मोबाइल|कार्यालय|جوال|موبايل|منزل|عمل)\.?)\s*$/iu;

/**
 * Extracts number and extension from a typed, pasted or stored text, without labels, links and invisible characters. Parameters of
 * links are those of RFC 3966. A second number stays in the text, where no plan reads it (`normalizeNumber` does), and so do too many
 * digits for an extension, because a cut code is another code.
 */
export function readNumberText(typed: string): NumberText {
  // A cut text would end in another number. Too long, it is none.
  if (typed.length > MAX_NUMBER_TEXT_LENGTH) return { number: typed, extension: "" };
  const plain = plainText(typed).replace(/\s/gu, " ");
  const text = plusInFront(withoutLabels(plain).replace(ANY_CARRIER, "$10"));
  // Service codes such as #31# look like extensions.
  if (/^[^\d+]*[*#]/.test(text) || SECOND.test(text)) return { number: text, extension: "" };
  const named = NAMED.exec(text)?.groups;
  const paused = named ?? PAUSED.exec(text)?.groups;
  if (paused === undefined) return { number: withBorder(text), extension: "" };
  const extension =
    named === undefined ? cleanExtension(paused["rest"] ?? "") : withDefaultPause(cleanExtension(named["digits"] ?? ""));
  if (extension.length > MAX_EXTENSION_LENGTH) return { number: text, extension: "" };
  return { number: withBorder(plusInFront(paused["number"] ?? text)), extension };
}

/** Marks where something else may begin, with a sign that no plan reads: `normalizeNumber` asks what is meant. */
function withBorder(number: string): string {
  return number.replace(BEHIND_WHOLE, "$1 | ");
}

/** The text of a link or label in ASCII digits and punctuation. Line ends and tabs stay. */
export function plainText(typed: string): string {
  return ofLink(plainCharacters(typed));
}

/** Converts digits, punctuation and spaces to ASCII and removes invisible characters. Line ends and tabs stay. */
function plainCharacters(text: string): string {
  return asciiDigits(text)
    .replace(/[\uff01-\uff5e]/g, (char) => String.fromCharCode(char.charCodeAt(0) - 0xfee0))
    .replace(/[\u060c\u3001]/g, ",")
    .replace(/\u061b/g, ";")
    .replace(/[\r\n\u2028\u2029]+/g, "\n")
    .replace(/[^\S\n\t]/gu, " ");
}

/** Extracts the number of a link. A local number is prefixed with its context (RFC 3966 §5.1.5). */
function ofLink(text: string): string {
  const plain = /%\d/.test(text) ? decoded(text) : text;
  const chat = CHAT_LINK.exec(plain)?.[0];
  if (chat !== undefined) return `+${/^[\d\s().-]+/.exec(plain.slice(chat.length))?.[0] ?? ""}`;
  const link = LINK.exec(text)?.[0];
  if (link === undefined) return /%2B/i.test(text) ? plain : text;
  const address = decoded(text.slice(link.length)).replace(/[@?].*$|#Intent.*$/u, "");
  const [number = "", ...parameters] = address.split(/;(?=[a-z-]+=)/iu);
  const valueOf = (name: string) =>
    parameters.find((one) => one.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1) ?? "";
  const context = valueOf("phone-context");
  const whole = !number.trimStart().startsWith("+") && context.startsWith("+") ? context + number : number;
  const behind = valueOf("ext") || valueOf("postd");
  return /\d/.test(behind) ? `${whole};ext=${behind}` : whole;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function withoutLabels(text: string): string {
  const front = LABEL_IN_FRONT.exec(text)?.[0] ?? "";
  // The bracket of "Tel. (030) 12" belongs to the number.
  const bracket = /\(\s*$/.exec(front)?.[0] ?? "";
  const number = TOUCHES_NUMBER.test(front) ? text : bracket + text.slice(front.length);
  const shortened = number.replace(LABEL_BEHIND, "");
  return /\d/.test(shortened) ? shortened : number;
}

/** Moves a plus to the front, because right-to-left text often has it after the digits, and merges repeated ones. */
function plusInFront(text: string): string {
  const number = /^(?<number>[^+]*\d[^+\d]*)\+\s*$/u.exec(text)?.groups?.["number"];
  return number === undefined ? text.replace(/\+(?:\s*\+)+/g, "+") : `+${number}`;
}
