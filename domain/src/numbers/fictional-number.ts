/**
 * Numbers reserved for fiction and examples, which are never assigned. Sources: ATIS 555 NXX Assignment Guidelines (555-0100 to
 * 555-0199); Ofcom, telephone numbers for use in TV and radio drama programmes.
 */
const FICTIONAL = [
  /^\+1\d{3}55501\d{2}$/,
  /^\+44(?:1134960|1144960|1154960|1164960|1174960|1184960|1214960|1314960|1414960|1514960|1614960|2079460|1914980|2890180|2920180|1632960|7700900|8081570|9098790|3069990)\d{3}$/,
];

/** @param e164 with its plus */
export function isFictionalNumber(e164: string): boolean {
  return FICTIONAL.some((range) => range.test(e164));
}
