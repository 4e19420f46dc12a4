/**
 * Ranges of numbering plans that look like ordinary numbers and are not. Nobody reaches a person there at an ordinary price.
 * What libphonenumber tells the type of, or `high-risk-rows.ts` lists, is not repeated here.
 */
interface SpecialRangeRow {
  readonly what: string;
  readonly source: string;
  /** Of the digits behind the plus, from the first on. */
  readonly range: RegExp;
  /** Where the plan says so, by the country of the price; null: wherever the digits occur. */
  readonly countries: ReadonlySet<string> | null;
}

/** Other islands under +1 give these exchanges to subscribers: 876 958 is a town in Jamaica. */
const NORTH_AMERICA: ReadonlySet<string> = new Set(["US", "CA", "PR", "VI", "GU"]);
const NANPA = "NANPA, Central Office Code Assignment Guidelines";

export const SPECIAL_RANGES: readonly SpecialRangeRow[] = [
  {
    what: "directory and national information line",
    source: "ATIS 555 NXX Assignment Guidelines",
    range: /^1\d{3}555(?:1212|4334)/,
    countries: null,
  },
  { what: "carrier access exchange", source: NANPA, range: /^1\d{3}950/, countries: NORTH_AMERICA },
  { what: "test exchange", source: NANPA, range: /^1\d{3}95[89]/, countries: NORTH_AMERICA },
  { what: "service code in place of an exchange", source: NANPA, range: /^1\d{3}[2-9]11/, countries: NORTH_AMERICA },
  { what: "service code in place of an area code", source: "NANPA, area codes", range: /^1[2-9]11/, countries: null },
  { what: "no area code or exchange begins with 0 or 1", source: "NANPA", range: /^1(?:[01]|\d{3}[01])/, countries: null },
  { what: "area code kept for a longer plan", source: "NANPA, area codes", range: /^1(?:[2-9]9\d|37\d|96\d)/, countries: null },
  { what: "inbound international calls", source: "NANPA, area codes", range: /^1456/, countries: null },
  { what: "interexchange carriers", source: "NANPA, area codes", range: /^1700/, countries: null },
  { what: "government emergency telecommunications", source: "NANPA, area codes", range: /^1710/, countries: null },
  { what: "machine to machine", source: "ACM, numbering plan", range: /^3197/, countries: null },
  { what: "machine to machine", source: "ARCEP, numbering plan", range: /^33700/, countries: null },
  { what: "machine to machine", source: "PTS, numbering plan", range: /^46719/, countries: null },
  { what: "machine to machine", source: "Nkom, numbering plan", range: /^475[89]\d{7}/, countries: null },
  { what: "satellite phones", source: "ACMA, numbering plan", range: /^6114[57]/, countries: null },
];
