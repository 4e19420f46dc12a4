import { countries } from "@farline/domain/countries/countries.ts";

/** The countries named by a text, as ISO codes. */
interface NamedCountries {
  /** Those that it begins with: one, or several joined by "/", "&", "+" or "and". Empty if it names none. */
  readonly leading: readonly string[];
  /** All of them, except those after a word such as "except". */
  readonly all: readonly string[];
}

const LANGUAGES = ["en", "de", "fr", "es", "it", "pt", "nl"];
/** Carriers' names besides the CLDR's. A shared name may mean any of its countries. */
const ALIASES: Readonly<Record<string, string>> = {
  AC: "ascension",
  AE: "uae|u a e|emirates|arab emirates",
  AG: "antigua|barbuda",
  AI: "anguila",
  AS: "samoa american|samoa usa",
  BA: "bosnia|bosnia herzegovina|bosnia and herzeg",
  BN: "brunei darussalam",
  BQ: "bonaire|saba|sint eustatius|saint eustatius",
  BY: "byelorussia|belorussia",
  BZ: "british honduras",
  CC: "cocos islands|cocos island|keeling islands",
  CD: "congo democratic republic|congo dem rep|congo drc|congo dr|dem rep congo|dem rep of congo|democratic republic of congo|drc|zaire|congo kinshasa|democratic republic of the congo",
  CF: "central african rep|car",
  CG: "congo republic|republic of congo|republic of the congo",
  CI: "ivory coast|cote divoire",
  CV: "cabo verde|cape verde islands",
  CZ: "czech|czech rep|czechia|czech republic",
  DM: "dominica island",
  DO: "dominican rep|dominican",
  FK: "falklands",
  FM: "micronesia",
  FO: "faeroe islands|faroes|faroe island",
  GB: "uk|u k|united kingdom|great britain|britain|england|scotland|northern ireland|ireland northern",
  GF: "french guyana|guiana french|guyana french",
  GG: "guernesey",
  GM: "the gambia",
  GN: "guinea republic|republic of guinea|guinea conakry",
  GW: "guinea bissau",
  HK: "hongkong|hong kong",
  IO: "diego garcia",
  IM: "isle of man|man isle of",
  JO: "jordan",
  KG: "kyrgyz republic|kirghizia|kirgizstan|kyrgystan",
  KN: "saint kitts|nevis|saint kitts nevis",
  KP: "korea north|korea dpr|dprk|korea dem peoples rep",
  KR: "korea south|korea rep|korea republic|korea republic of|republic of korea|south korea",
  LA: "laos pdr|lao|lao pdr",
  LY: "libyan arab jamahiriya",
  MK: "macedonia|fyrom|macedonia fyrom",
  MM: "burma",
  MO: "macao|macau",
  MP: "saipan|mariana islands|northern marianas|northern mariana islands|marianas",
  NL: "holland|the netherlands",
  PG: "papua new guinea|png",
  PM: "saint pierre|miquelon|saint pierre miquelon",
  PS: "palestine|palestinian authority|palestinian territory|palestinian territories",
  RE: "reunion island",
  RU: "russian federation",
  SH: "saint helena island",
  SK: "slovak republic|slovak rep|slovak",
  ST: "sao tome|principe",
  SY: "syrian arab republic",
  SZ: "swaziland",
  TC: "turks and caicos|turks|caicos",
  TL: "east timor|timor leste",
  TR: "turkey|northern cyprus|north cyprus|cyprus north|cyprus northern|turkish republic of northern cyprus",
  TT: "trinidad|tobago",
  TZ: "zanzibar",
  US: "usa|us|u s a|u s|united states of america|new jersey|new mexico",
  VA: "vatican|holy see",
  VC: "saint vincent|grenadines",
  VG: "virgin islands british|british virgin|bvi",
  VI: "virgin islands us|virgin islands usa|us virgin|usvi|american virgin islands",
  WF: "wallis|futuna",
  WS: "western samoa|samoa western",
  "CD CG": "congo",
  "CW BQ SX": "netherlands antilles|dutch antilles|antilles netherlands",
  "FK GS": "south georgia",
  "GP MQ": "french antilles|french west indies",
  "KR KP": "korea",
  "MF SX": "saint martin|st maarten",
  "RS ME": "serbia and montenegro",
  "VG VI": "virgin islands",
};
/** Foreign names of countries that are also ordinary words, such as German "Island" for Iceland. */
const NO_NAMES: ReadonlySet<string> = new Set(["island", "man", "sahara"]);
const EXCLUSION = /^(?:excl|excluding|exclude|except|excepted|without|not|non|no|minus|w\/o|ohne|sauf|other)$/;
const JOINT = /^(?:and|und|et|y|e|\/|\+)$/;
const MAX_WORDS = 8;
const MAX_CACHED = 50_000;

const BY_NAME = namesOfCountries();
const remembered = new Map<string, NamedCountries>();

/** Finds the countries that a price list's name or description mentions. */
export function namedCountries(text: string): NamedCountries {
  const known = remembered.get(text);
  if (known !== undefined) return known;
  if (remembered.size >= MAX_CACHED) remembered.clear();
  const found = findNames(wordsOf(text));
  remembered.set(text, found);
  return found;
}

function findNames(words: readonly string[]): NamedCountries {
  const leading: string[] = [];
  const all: string[] = [];
  let isAfterName = false;
  let isJoined = true;
  for (let at = 0; at < words.length;) {
    const word = words[at] as string;
    if (EXCLUSION.test(word)) break;
    const length = lengthOfName(words, at);
    if (length > 0) {
      const codes = BY_NAME.get(words.slice(at, at + length).join(" ")) ?? [];
      // Georgia is also a US state.
      if (!(all.includes("US") && codes.includes("GE"))) all.push(...codes);
      if (isJoined) leading.push(...codes);
      isJoined = false;
    } else if (leading.length > 0) isJoined = isAfterName && JOINT.test(word);
    isAfterName = length > 0;
    at += Math.max(length, 1);
  }
  return { leading: [...new Set(leading)], all: [...new Set(all)] };
}

function lengthOfName(words: readonly string[], at: number): number {
  for (let length = Math.min(MAX_WORDS, words.length - at); length > 0; length--)
    if (BY_NAME.has(words.slice(at, at + length).join(" "))) return length;
  return 0;
}

function wordsOf(text: string): string[] {
  return text
    .normalize("NFKD")
    .toLowerCase()
    .replaceAll(/\p{M}|['’.]/gu, "")
    .replaceAll("&", " and ")
    .replaceAll(/[/+]/g, " $& ")
    .replaceAll(/[^\p{L}\p{N}/+]+/gu, " ")
    .trim()
    .split(" ")
    .map((word) => (word === "st" || word === "ste" ? "saint" : word === "is" ? "islands" : word));
}

function namesOfCountries(): ReadonlyMap<string, readonly string[]> {
  const names = new Map<string, readonly string[]>();
  const add = (name: string, codes: readonly string[]): void => {
    const key = wordsOf(name).join(" ");
    if (key === "" || NO_NAMES.has(key)) return;
    names.set(key, [...new Set([...(names.get(key) ?? []), ...codes])]);
  };
  const regions = LANGUAGES.map((language) => new Intl.DisplayNames([language], { type: "region", fallback: "none" }));
  for (const { iso2, name } of countries.filter((one) => !one.iso2.startsWith("X") || one.iso2 === "XK")) {
    add(name, [iso2]);
    for (const region of regions) add(region.of(iso2) ?? "", [iso2]);
  }
  // Carriers' meaning of a name takes precedence over another language's name of a country.
  const aliases = Object.entries(ALIASES).flatMap(([codes, list]) =>
    list.split("|").map((alias) => [alias, codes.split(" ")] as const),
  );
  for (const [alias] of aliases) names.delete(wordsOf(alias).join(" "));
  for (const [alias, codes] of aliases) add(alias, codes);
  return names;
}
