import { fillText } from "../../text/fill-text.ts";
import type { PadCountry } from "./pad-countries.ts";

/**
 * Completes the country list of the demo pad, which comes with its first country alone: to style and place all of them takes
 * as long as half of the first screen. The list is complete before it can open, and before React takes the pad over.
 * @param option how a country is written, as in the catalogues
 */
export function fillCountries(pad: Element, countries: readonly PadCountry[], option: string | undefined): void {
  const select = pad.querySelector("select");
  select?.replaceChildren(
    ...countries.map(([code, name, dialCode]) => {
      const isChosen = code === select.value;
      return new Option(fillText(option, { name, code: dialCode }), code, isChosen, isChosen);
    }),
  );
}
