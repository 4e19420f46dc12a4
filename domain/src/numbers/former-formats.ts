import { parsePhoneNumberFromString } from "libphonenumber-js/max";
import { countryByCode } from "../countries/countries.ts";
import type { NumberChoice } from "./number-plans.ts";

/** When a country's numbers changed. */
export interface Renumbering {
  readonly countryCode: string;
  readonly year: number;
}

interface FormerPlan {
  readonly country: string;
  /** When the old numbers ended, or the last of them. */
  readonly year: number;
  /** Who announced it: the regulator or operator, or the bulletin of the ITU. */
  readonly source: string;
  /** The calling code that the numbers had, where it has changed. */
  readonly formerDialCode?: string;
  /** libphonenumber still lists them as numbers in use. */
  readonly isStillListed?: true;
  /** A pattern of former national numbers, a space, and what they became; nothing where that depends on more than the number. */
  readonly rules: readonly string[];
}

/** Plans that were replaced since 2000, as national numbers without the trunk prefix. */
export const FORMER_PLANS: readonly FormerPlan[] = [
  { country: "AM", year: 2006, source: "PSRC", rules: ["1(\\d{6}) 10$1"] },
  // Mobiles have the former 50 today.
  { country: "BF", year: 2014, source: "ARCEP Burkina Faso", rules: ["40(\\d{6}) 24$1"] },
  {
    country: "BH",
    year: 2005,
    source: "TRA Bahrain",
    rules: ["[2-8]\\d{5} 17$&", "9\\d{6} 3$&"],
  },
  { country: "BJ", year: 2024, source: "ARCEP Bénin, 30 November 2024", rules: ["[2-9]\\d{7} 01$&"] },
  { country: "BR", year: 2016, source: "Anatel, resolution 553", rules: ["([1-9]{2})([6-9]\\d{7}) $19$2"] },
  {
    country: "CI",
    year: 2021,
    source: "ARTCI, 31 January 2021",
    rules: [
      "2\\d8\\d{5} 21$&",
      "[23]\\d0\\d{5} 25$&",
      "(?:2\\d[1-79]|3\\d[1-9])\\d{5} 27$&",
      "[04-9][0-3]\\d{6} 01$&",
      "[04-9][4-6]\\d{6} 05$&",
      "[04-9][7-9]\\d{6} 07$&",
    ],
  },
  {
    country: "CL",
    year: 2013,
    source: "Subtel",
    rules: ["2([2-9]\\d{6}) 22$1", "(3[2-5]|4[1-35]|5[1-3578]|6[13-57]|7[1-35])(\\d{6}) $12$2", "[6-8]\\d{7} 9$&"],
  },
  {
    country: "CM",
    year: 2014,
    source: "ART Cameroon, 21 November 2014",
    rules: ["[23]\\d{7} 2$&", "[5-79]\\d{7} 6$&"],
  },
  {
    country: "CO",
    year: 2021,
    source: "CRC, resolution 5826 of 2019, cambiala.gov.co",
    rules: ["3?([125-8]\\d{7}|4[0-57-9]\\d{6}) 60$1"],
  },
  {
    country: "CR",
    year: 2008,
    source: "ICE, 20 March 2008",
    rules: ["[24-7]\\d{6} 2$&", "[38]\\d{6} 8$&"],
  },
  {
    country: "CY",
    year: 2001,
    source: "CYTA",
    rules: ["[2-6]\\d{6} 2$&", "9\\d{6} 9$&"],
  },
  {
    country: "DJ",
    year: 2011,
    source: "Djibouti Télécom, ITU Operational Bulletin",
    rules: ["[235]\\d{5} 21$&", "4\\d{5} 27$&", "[678]\\d{5} 77$&"],
  },
  { country: "DZ", year: 2008, source: "ARPT, 22 February 2008", rules: ["([5-7])(\\d{7}) $1$1$2"] },
  { country: "EC", year: 2012, source: "Conatel, 30 September 2012", rules: ["[89]\\d{7} 9$&"] },
  {
    country: "EG",
    year: 2011,
    source: "NTRA, 6 October 2011",
    rules: ["1([069])(\\d{7}) 10$1$2", "1([278])(\\d{7}) 12$1$2", "1([14])(\\d{7}) 11$1$2"],
  },
  {
    country: "ET",
    year: 2005,
    source: "ETC, 17 September 2005",
    rules: ["[1-9]\\d{6}"],
  },
  {
    country: "GA",
    year: 2019,
    source: "ARCEP Gabon, ITU Operational Bulletin",
    isStillListed: true,
    rules: ["01(\\d{6}) 11$1", "0?([256]\\d{6}) 6$1", "0?([47]\\d{6}) 7$1"],
  },
  {
    country: "GE",
    year: 2011,
    source: "GNCC, ITU communication of 22 December 2010",
    rules: ["32(\\d{6}) 322$1", "90\\d{6} 7$&", "(?:5\\d|7\\d|9[1-9])\\d{6} 5$&"],
  },
  {
    country: "GH",
    year: 2010,
    source: "NCA Ghana",
    rules: ["21(\\d{6}) 302$1", "22(\\d{6}) 303$1", "31(\\d{6}) 312$1", "51(\\d{6}) 322$1", "[4-9]\\d{7}"],
  },
  { country: "GI", year: 2008, source: "GRA, October 2008", rules: ["[4-7]\\d{4} 200$&"] },
  {
    country: "GP",
    year: 2001,
    source: "ARCEP",
    rules: ["[2-9]\\d{5} 590$&"],
  },
  { country: "GF", year: 2001, source: "ARCEP", rules: ["[2-9]\\d{5} 594$&"] },
  { country: "MQ", year: 2001, source: "ARCEP", rules: ["[2-9]\\d{5} 596$&"] },
  { country: "RE", year: 2001, source: "ARCEP", rules: ["[2-9]\\d{5} 262$&"] },
  {
    country: "GR",
    year: 2003,
    source: "EETT",
    rules: ["1(\\d{7}) 210$1", "31(\\d{6}) 2310$1", "9[347]\\d{7} 6$&"],
  },
  { country: "GT", year: 2004, source: "SIT", rules: ["[2-9]\\d{6}"] },
  { country: "GN", year: 2013, source: "ARPT Guinée", rules: ["6\\d{7}"] },
  {
    country: "GW",
    year: 2014,
    source: "ARN Guiné-Bissau",
    rules: ["([567])\\d{6} 9$1$&"],
  },
  {
    country: "HN",
    year: 2010,
    source: "Conatel Honduras, 14 November 2010",
    rules: ["[24-7]\\d{6} 2$&", "9\\d{6} 9$&", "[38]\\d{6}"],
  },
  {
    country: "HT",
    year: 2008,
    source: "Conatel Haïti",
    rules: ["2\\d{6} 2$&", "[3-9]\\d{6}"],
  },
  { country: "IL", year: 2004, source: "Ministry of Communications", rules: ["5\\d{7}"] },
  {
    country: "IN",
    year: 2003,
    source: "DoT, National Numbering Plan 2003",
    rules: ["(11|20|22|33|40|44|79|80)([3-8]\\d{6}) $12$2"],
  },
  { country: "KE", year: 2003, source: "CCK", rules: ["7([23])(\\d{6}) 7$1$1$2"] },
  {
    country: "KW",
    year: 2008,
    source: "Ministry of Communications, 17 October 2008",
    rules: ["[2-5]\\d{6} 2$&", "6\\d{6} 6$&", "9\\d{6} 9$&", "7\\d{6}"],
  },
  { country: "KZ", year: 2007, source: "AIS Kazakhstan", formerDialCode: "7", rules: ["3([12]\\d{8}) 7$1"] },
  { country: "LK", year: 2003, source: "TRCSL", rules: ["7[1278]\\d{6}"] },
  {
    country: "LV",
    year: 2008,
    source: "SPRK",
    rules: ["[3-57]\\d{6} 6$&", "[89]\\d{6} 2$&", "6\\d{6}"],
  },
  {
    country: "MA",
    year: 2009,
    source: "ANRT, 7 March 2009",
    rules: ["[23]\\d{7} 5$&", "[14-7]\\d{7} 6$&"],
  },
  {
    country: "MO",
    year: 2005,
    source: "DSRT",
    rules: ["[2-9]\\d{5} 28$&", "6\\d{6} 6$&"],
  },
  { country: "MR", year: 2011, source: "ARE Mauritanie", rules: ["[2-7]\\d{6}"] },
  { country: "MT", year: 2002, source: "MCA", rules: ["[2-8]\\d{5} 21$&"] },
  { country: "MU", year: 2013, source: "ICTA, 1 September 2013", rules: ["(?:2[59]|4[2-49]|7\\d|8[2-7]|9\\d)\\d{5} 5$&"] },
  { country: "MY", year: 2001, source: "MCMC", rules: ["3[2-9]\\d{6}"] },
  { country: "NE", year: 2006, source: "ARM Niger, ITU communication of 6 September 2006", rules: ["[2-9]\\d{5}"] },
  {
    country: "NI",
    year: 2009,
    source: "Telcor",
    rules: ["2\\d{6} 2$&", "[3-9]\\d{6}"],
  },
  {
    country: "OM",
    year: 2006,
    source: "TRA Oman",
    rules: ["9\\d{6} 9$&", "[2-8]\\d{5}"],
  },
  { country: "PA", year: 2005, source: "ASEP", rules: ["6\\d{6} 6$&"] },
  { country: "PE", year: 2008, source: "MTC", rules: ["19(\\d{7}) 99$1"] },
  {
    country: "PF",
    year: 2014,
    source: "DGEN, 23 June 2014",
    rules: ["[4-689]\\d{5} 40$&", "[237]\\d{5} 87$&"],
  },
  {
    country: "PH",
    year: 2019,
    source: "NTC, memorandum order 10-10-2017, 6 October 2019",
    rules: [
      "2((?:39[0-4]|(?:4[139]|38)\\d|22[0-46-8]|48[013-9]|45[03-6]|44[03-9]|262|474|4[06][6-9]|42[78]|37[789])\\d{4}) 23$1",
      "2(76\\d{5}) 26$1",
      "2((?:(?:[59]0|21|75)\\d|97[0-568]|94[03-69]|9[15][04-9]|96[0468]|98[079]|7[23][089]|62[1-5]|79[1-9]|26[13-6]|61[135-8]|482|473|93[34]|74[4-8]|225|58[567]|57[67]|71[789]|358|(?:23|36)[89])\\d{4}) 27$1",
      "2((?:790|33[0-4]|4[06][0-5]|(?:71|53|37)[0-6]|(?:23|64|36)[0-7]|34[0-8]|(?:8\\d|7[078]|5[1256]|9[29]|6[35]|2[45789])\\d|35[0-79]|57[0-589]|66[0-46-9]|58[0-489]|42[03569]|74[0-39]|(?:93|47)[0-25-9]|62[0678]|26[0789]|(?:44|67)[12]|9[15][123]|7[23][1-7]|54[1-9]|98[1-68]|69[1-35-7]|68[1-37-9]|96[127]|94[1278]|45[127-9]|39[5-9]|20[89])\\d{4}) 28$1",
      "2\\d{7}",
    ],
  },
  { country: "QA", year: 2010, source: "ictQATAR, 28 July 2010", rules: ["([4-7])(\\d{6}) $1$1$2"] },
  { country: "RU", year: 2006, source: "Minsvyaz", rules: ["0(\\d{9}) 4$1"] },
  {
    country: "SA",
    year: 2013,
    source: "CITC",
    rules: ["[2-467]\\d{7} 1$&", "1(\\d{7}) 11$1"],
  },
  {
    country: "SC",
    year: 2011,
    source: "DICT Seychelles",
    rules: ["[236]\\d{5} 4$&", "[578]\\d{5} 2$&"],
  },
  { country: "SG", year: 2002, source: "IDA, 1 March 2002", rules: ["[2-8]\\d{6} 6$&"] },
  { country: "SH", year: 2013, source: "Sure, 1 October 2013", rules: ["[2-7]\\d{3} 2$&"] },
  {
    country: "SN",
    year: 2007,
    source: "ARTP Sénégal",
    rules: ["[89]\\d{6} 33$&", "[3-7]\\d{6}"],
  },
  {
    country: "SV",
    year: 2005,
    source: "SIGET",
    rules: ["[2-4]\\d{6} 2$&", "[78]\\d{6} 7$&", "[569]\\d{6}"],
  },
  { country: "SX", year: 2011, source: "BTP, 30 September 2011", formerDialCode: "599", rules: ["5\\d{6} 721$&"] },
  {
    country: "SZ",
    year: 2011,
    source: "SPTC, ITU communication of 30 September 2010",
    rules: ["[2-5]\\d{6} 2$&", "6\\d{6} 7$&"],
  },
  {
    country: "TG",
    year: 2011,
    source: "ARTP Togo, 7 August 2011",
    rules: ["2\\d{6} 2$&", "[3-9]\\d{6}", "0\\d{6}"],
  },
  { country: "TH", year: 2006, source: "NTC Thailand, 1 September 2006", rules: ["[14-79]\\d{7} 8$&"] },
  { country: "TL", year: 2012, source: "ARCOM", rules: ["7\\d{6} 7$&"] },
  {
    country: "UG",
    year: 2006,
    source: "UCC, ITU communication of 21 December 2005",
    rules: ["(3\\d|4\\d|7[1-8])(\\d{6}) $12$2"],
  },
  {
    country: "VN",
    year: 2018,
    source: "MIC, circular 22/2014, 15 September to 14 November 2018",
    rules: [
      "12([068])(\\d{7}) 7$1$2",
      "121(\\d{7}) 79$1",
      "122(\\d{7}) 77$1",
      "12([3-5])(\\d{7}) 8$1$2",
      "127(\\d{7}) 81$1",
      "129(\\d{7}) 82$1",
      "16([2-9]\\d{7}) 3$1",
      "18([68]\\d{7}) 5$1",
      "199(\\d{7}) 59$1",
      "992(\\d{6}) 672$1",
    ],
  },
  {
    country: "VN",
    year: 2017,
    source: "MIC, decision 2036 of 2016",
    rules: [
      "7([235]\\d{7}) 27$1",
      "68(\\d{7}) 259$1",
      "67([013-9]\\d{6}) 277$1",
      "66(\\d{7}) 276$1",
      "651(\\d{7}) 271$1",
      "650(\\d{7}) 274$1",
      "6([124]\\d{7}) 25$1",
      "6([03]\\d{7}) 26$1",
      "57(\\d{7}) 257$1",
      "55([0-8]\\d{6}) 255$1",
      "501(\\d{7}) 261$1",
      "500(\\d{7}) 262$1",
      "4([2-8]\\d{7}) 24$1",
      "74(\\d{7}) 294$1",
      "711(\\d{7}) 293$1",
      "710(\\d{7}) 292$1",
      "280(\\d{7}) 208$1",
      "2([5-7]\\d{7}) 20$1",
      "240(\\d{7}) 204$1",
      "5([34]\\d{7}|2[014-79]\\d{6}) 23$1",
      "511(\\d{7}) 236$1",
      "510(\\d{7}) 235$1",
      "29(\\d{7}) 216$1",
      "231(\\d{7}) 213$1",
      "230(\\d{7}) 215$1",
      "22(\\d{7}) 212$1",
      "20(\\d{7}) 214$1",
    ],
  },
  {
    country: "ZM",
    year: 2008,
    source: "CAZ",
    rules: ["[1-8]\\d{6} 21$&", "9([567])(\\d{6}) 9$1$1$2"],
  },
  {
    country: "ZW",
    year: 2009,
    source: "POTRAZ",
    rules: ["11(\\d{6}) 712$1", "23(\\d{6}) 733$1", "912?(\\d{6}) 772$1"],
  },
];

interface FormerNumber {
  readonly renumbering: Renumbering;
  readonly choices: readonly NumberChoice[];
}

/**
 * The former plan that international digits belong to, with today's numbers; null for none.
 * @param isListed the number tables know the digits as a number in use: then it is that number, unless they are known to be late
 */
export function findFormerPlan(digits: string, isListed: boolean): FormerNumber | null {
  for (const { country: countryCode, year, formerDialCode, isStillListed, rules } of FORMER_PLANS) {
    const dialCode = countryByCode(countryCode)?.dialCode ?? "";
    const before = formerDialCode ?? dialCode;
    if (!digits.startsWith(before) || (isListed && isStillListed !== true)) continue;
    const national = digits.slice(before.length);
    const found = rules.map(readRule).filter(({ former }) => former.test(national));
    if (found.length === 0) continue;
    const choices = found.flatMap(({ former, today }) =>
      today === null ? [] : numberInUse(`+${dialCode}${national.replace(former, today)}`, countryCode),
    );
    return { renumbering: { countryCode, year }, choices };
  }
  return null;
}

export function readRule(rule: string): { readonly former: RegExp; readonly today: string | null } {
  const [former = "", today = null] = rule.split(" ");
  return { former: new RegExp(`^(?:${former})$`), today };
}

function numberInUse(e164: string, countryCode: string): readonly NumberChoice[] {
  const number = parsePhoneNumberFromString(e164);
  return number?.isValid() === true ? [{ e164: number.number, countryCode: number.country ?? countryCode }] : [];
}
