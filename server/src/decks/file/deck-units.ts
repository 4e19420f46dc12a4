import { patternOf, plainWords } from "./status-words.ts";

/** Words of a price per something else than a minute, in the languages of carriers. */
const OTHER_WORDS: ReadonlySet<string> = new Set(
  [
    "s sec secs second seconds sek sekunde sekunden seconde secondes secondi secondo segundo segundos seconden sekunda sekunde сек секунда секунду saniye ثانية 秒",
    "h hr hrs hour hours stunde stunden heure heures hora horas ora ore uur godzina час saat ساعة 小时",
    "day days daily month months monthly call calls anruf appel llamada chiamata звонок kb mb sms message messages",
    "10 100 1000 10000 1k 10k 000 k hundred thousand tausend mille mil duizend tysiąc тысяча bin",
  ]
    .join(" ")
    .split(" ")
    .map(plainWords),
);
const PER =
  "(?:\\/|\\bper\\b|\\bpro\\b|\\bpar\\b|\\bpor\\b|\\bal\\b|\\bcada\\b|\\bje\\b|\\bza\\b|(?<!\\p{L})за(?!\\p{L})|(?<!\\p{L})в(?!\\p{L})|每|لكل)";
const PER_OTHER = new RegExp(
  `(?<!(?<![.,\\d])\\d{1,2}\\s*)${PER}\\s*(?:(?:(?!1\\b|60\\b)\\d[\\d.,\\s]*|ten|hundred|(?:a\\s+)?thousand)\\s*\\p{L}*|(?:1\\s*)?(?:${[...OTHER_WORDS].filter((word) => /^\D+$/u.test(word)).join("|")})(?!\\p{L}))`,
  "iu",
);
/** A number in a header, such as "x1000", unless it is a year. */
const FACTOR = /^x?(?!20\d\d$)\d{2,}$/;
/** Words of a sentence about prices, unless it is about how calls are billed. */
const PRICE_WORDS = patternOf([
  "rate*|price*|cost*|tariff*|charg*|usd|dollar*|preis*|tarif*|prix|coût|precio*|tarifa*|prezz*|preç*|prij*|cen*|цен*|тариф*|fiyat*|سعر|اسعار|价格|费率",
]);
const BILLING_WORDS = patternOf(["bill*|increment*|round*|pulse*|takt*|abrechn*|factur*|fattur*|fatur*|cps"]);

/** Cells of a column "unit" that mean a minute. */
const MINUTES: ReadonlySet<string> = new Set(
  "min|mins|minute|minutes|minuten|minuto|minutos|minuti|minuut|minuta|minute s|1 min|1 minute|per minute|per min|pro minute|par minute|por minuto|al minuto|per minuut|мин|минута|за минуту|dakika|dk|دقيقة|分钟|每分钟|60|60 s|60 sec|60 seconds|usd min|usd per minute|usd minute"
    .split("|")
    .map(plainWords),
);

/** Whether the header of a price column names another unit than the minute: "Rate/sec", "Price per 1000 minutes". */
export function isOtherUnit(header: string): boolean {
  if (PER_OTHER.test(header)) return true;
  const withoutMinute = plainWords(header).replaceAll(/\b60 (?:s|secs?|seconds?)\b/g, "");
  return withoutMinute.split(" ").some((word) => OTHER_WORDS.has(word) || FACTOR.test(word));
}

/** Whether a sentence says that prices are per something else than a minute. */
export function namesOtherUnit(text: string): boolean {
  const words = plainWords(text);
  return PER_OTHER.test(text) && (text.includes("$") || PRICE_WORDS.test(words)) && !BILLING_WORDS.test(words);
}

/** Reads a cell of a column "unit". */
export function isMinute(cell: string): boolean {
  return MINUTES.has(plainWords(cell));
}
