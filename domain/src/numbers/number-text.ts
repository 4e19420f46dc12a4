import { asciiDigits } from "../ascii-digits.ts";
import { cleanExtension, withDefaultPause } from "./extension.ts";

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
/** Links of chats, whose number is always international and often without its plus. */
const CHAT_LINK = new RegExp(
  String.raw`^\s*(?:https?://)?(?:www\.)?(?:${[
    String.raw`wa\.me/`,
    String.raw`(?:(?:api|web|chat)\.whatsapp\.com|whatsapp:/)/send/?\?(?:.*&)?phone=`,
    String.raw`(?:sgnl://)?signal\.me/#p/`,
    String.raw`(?:t|telegram)\.me/(?=\+)`,
    String.raw`tg://resolve/?\?(?:.*&)?phone=`,
    String.raw`viber://\w+/?\?(?:.*&)?number=`,
    String.raw`intent://send/`,
  ].join("|")})\s*\+?(?=\d)`,
  "iu",
);
/** Placeholder for a carrier code in Brazil: "0xx21", "(0**11)". */
const ANY_CARRIER = /(^|[^\d])0\s*-?(?:xx|\*\*)\s*-?/iu;

const EXTENSION_WORDS = [
  ..."extension extensión extn ext xtn xt x poste interno int dahili durchwahl dw nebenstelle nst klappe kl ramal anexo".split(
    " ",
  ),
  ..."toestel tst anknytning ankn lokal linje wewnętrzny wewn wew linka mellék mell доб добавочный вн внутр вътр анекс".split(
    " ",
  ),
  ..."tambahan máy nhánh εσωτ εσωτερικό שלוחה تحويلة داخلي داخلی एक्सटेंशन विस्तार ต่อ 内線 内线 分机 分機 내선".split(" "),
].join("|");
const NAMED = new RegExp(
  String.raw`^(?<number>[^,;]*?\d[^\d\p{L}#*]*?)[\s,;./(\[-]*(?:(?<!\p{L})(?:${EXTENSION_WORDS})|#)[\s.:=#-]*(?<digits>\d[\d\s*#,;pw-]*)[)\]]?\s*$`,
  "iu",
);
/** Pauses: commas, semicolons, and after a whole number the letters p and w of address books. A plus is no tone. */
const PAUSED = /^(?<number>[^,;]*?\d[^,;]*?)\s*(?<rest>[,;][^+]*|(?<=(?:\d\D*){7}\s*)[pw][\d\s*#,;pw]*)$/iu;

/** What stands between two groups of digits. A plus starts a number. */
const GAP = /(\D+)/;
/** Fewer digits than these are an area code, an extension or a house number, not a whole number. */
const MIN_WHOLE_DIGITS = 7;
const MIN_WHOLE_INTERNATIONAL_DIGITS = 8;
/** As many digits before a slash as behind it are the ends of two numbers, but not fewer than these. */
const MIN_LOCAL_DIGITS = 4;
/** A single pause before as many digits without a key of the keypad is a list. */
const MIN_LISTED_DIGITS = 9;
/** Never stands in front of tones. */
const STARTS_NUMBER = /[+\p{L}\n]/u;
const ENDS_WITH_EXTENSION = new RegExp(
  String.raw`(?:(?<!\p{L})(?:${EXTENSION_WORDS}|ext=|isub=|postd=|p|w)|[*#])[\s.:=#*,;-]*$`,
  "iu",
);

/** "Tel. (Anna):". A label ends with punctuation or a space; letters adjacent to digits are part of the number. */
const LABEL_IN_FRONT = /^[^\d+*#]*\p{L}[^\d+*#\p{L}]*(?=[\d+*#])/u;
const TOUCHES_NUMBER = /\p{L}['’-]*\(?$/u;
const LABEL_BEHIND =
  /\s*(?:[([{<][^\d()[\]{}<>]*\p{L}[^\d()[\]{}<>]*[)\]}>]|(?<=[\s,;:/-])(?:mobile|mobil|mob|cell|handy|home|work|office|fax|privat|büro|casa|móvil|movil|trabajo|oficina|portable|bureau|maison|domicile|घर|मोबाइल|कार्यालय|جوال|موبايل|منزل|عمل)\.?)\s*$/iu;

/** What follows a number: another, the end of another in the same place ("2345 6789/6780"), or maybe its own last digits ("901820/21"). */
type Behind = "number" | "local" | "digits";

/** The numbers of a text, and the least that is sure about what follows the first. */
interface SeparateNumbers {
  readonly texts: readonly string[];
  readonly behind: Behind;
}

/**
 * Separates the numbers of a text at whatever people write between two: a new line, a tab, a comma, a word, a second plus. Two
 * numbers that are joined would call a stranger.
 */
export function separateNumbers(typed: string): SeparateNumbers {
  const [start = "", ...rest] = ofLink(plainCharacters(typed)).split(GAP);
  const texts = [start];
  let surest: Behind = "number";
  for (let at = 0; at < rest.length; at += 2) {
    const [gap = "", next = ""] = rest.slice(at, at + 2);
    const current = texts.at(-1) ?? "";
    const behind = next === "" || !isWhole(current) ? null : behindGap(current, gap, rest.slice(at + 1));
    if (behind === null) texts[texts.length - 1] = current + gap + next;
    else {
      if (behind === "digits" || surest === "number") surest = behind;
      texts[texts.length - 1] = current + (/^\s*[)\]]/.exec(gap)?.[0] ?? "");
      // The plus and the bracket belong to the number that they open; no code starts with a zero.
      texts.push((next.startsWith("0") ? /\($/ : /[(+][\s(+]*$/).exec(gap)?.[0].concat(next) ?? next);
    }
  }
  return { texts: texts.length === 1 ? [typed] : texts, behind: surest };
}

/** Null if the gap does not separate numbers. */
function behindGap(before: string, gap: string, behind: readonly string[]): Behind | null {
  if (ENDS_WITH_EXTENSION.test(gap) || (/[,;]/.test(before) && !STARTS_NUMBER.test(gap))) return null;
  const end = behind.findIndex((one, at) => at % 2 === 1 && (isSeparator(one) || /[*#,;]/.test(one)));
  const next = (/\+\s*\(?\s*$/.exec(gap)?.[0] ?? "") + behind.slice(0, end === -1 ? behind.length : end).join("");
  const isNextWhole = isWhole(next);
  const pauses = gap.replace(/[^,;]/g, "").length;
  if (pauses > 0 && !STARTS_NUMBER.test(gap)) {
    const digits = next.replace(/\D/g, "").length;
    const isListed = /^0|\d[\s().-]+\d/.test(next) || digits >= MIN_LISTED_DIGITS || digits === before.replace(/\D/g, "").length;
    const isKeyed = /[*#]|(?<!\p{L})[pw](?!\p{L})/iu.test(behind.join(""));
    return isNextWhole && isListed && pauses === 1 && !isKeyed ? "number" : null;
  }
  if (!isSeparator(gap)) return null;
  if (isNextWhole) return gap.trim() === "/" && before.replace(/\D/g, "").length < MIN_LISTED_DIGITS ? "local" : "number";
  if (/[\p{L}+]/u.test(gap)) return null;
  const local = /^\d+/.exec(next)?.[0].length ?? 0;
  return local >= MIN_LOCAL_DIGITS && local === /\d+$/.exec(before)?.[0].length ? "local" : "digits";
}

function isSeparator(gap: string): boolean {
  return /[\n\t|&/\\+\p{L}(]|\s{2}/u.test(gap) || /[,;]/.test(gap);
}

function isWhole(text: string): boolean {
  const digits = text.replace(/\D/g, "").length;
  return digits >= (text.includes("+") ? MIN_WHOLE_INTERNATIONAL_DIGITS : MIN_WHOLE_DIGITS);
}

/**
 * Extracts number and extension from a typed, pasted or stored text, without labels, links and invisible characters. Parameters of
 * links are those of RFC 3966. Several numbers stay together, with a line between them.
 */
export function readNumberText(typed: string): NumberText {
  // A cut text would end in another number. Too long, it is none.
  if (typed.length > MAX_NUMBER_TEXT_LENGTH) return { number: typed, extension: "" };
  const { texts } = separateNumbers(typed);
  return texts.length > 1 ? { number: texts.join(" | "), extension: "" } : readSingleNumber(typed);
}

/** Like `readNumberText`, for a text that is meant as one number. */
export function readSingleNumber(typed: string): NumberText {
  const plain = plainCharacters(typed).replace(/\s/gu, " ");
  const text = plusInFront(withoutLabels(ofLink(plain)).replace(ANY_CARRIER, "$10"));
  // Service codes such as #31# look like extensions.
  if (/^[^\d+]*[*#]/.test(text)) return { number: text, extension: "" };
  const named = NAMED.exec(text)?.groups;
  if (named !== undefined)
    return { number: plusInFront(named["number"] ?? ""), extension: withDefaultPause(cleanExtension(named["digits"] ?? "")) };
  const paused = PAUSED.exec(text)?.groups;
  if (paused === undefined) return { number: text, extension: "" };
  return { number: plusInFront(paused["number"] ?? text), extension: cleanExtension(paused["rest"] ?? "") };
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

/**
 * Moves a plus to the front, because right-to-left text often has it after the digits, and merges repeated ones. An exit code in front of
 * a plus says the same twice.
 */
function plusInFront(text: string): string {
  const number = /^(?<number>[^+]*\d[^+\d]*)\+\s*$/u.exec(text)?.groups?.["number"];
  return number === undefined
    ? text.replace(/^[\s(]*(?:00(?:11)?|011)[\s)]*(?=\+)/, "").replace(/\+(?:\s*\+)+/g, "+")
    : `+${number}`;
}
