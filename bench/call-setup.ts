import { booksOf } from "@farline/e2e/support/books.ts";
import { databaseUrlOf } from "@farline/e2e/support/product.ts";
import { TONE_LINE } from "@farline/e2e/support/phone-network.ts";
import { clickToSound, DETECTOR_CONTEXT, listenToPage } from "./first-sound.ts";
import { withSignedInPage } from "./signed-in-page.ts";
import { spread } from "@farline/drills/support/spread.ts";

export const RINGING_LINE = "+442079460408";
const CALLS = 20;

/**
 * Milliseconds from the click on Call Now until the page plays sound: the first ringback of a ringing line, and the far end
 * of a line that answers at once. A page's first call is cold and reported separately.
 */
export async function callSetup(): Promise<Record<string, unknown>> {
  return await withSignedInPage(
    50,
    async ({ page, email, product }) => {
      await listenToPage(page);
      const free = async () => (await booksOf(email, databaseUrlOf(product))).held === 0n;
      const ringback: number[] = [];
      for (let call = 0; call < CALLS; call++) ringback.push(await clickToSound(page, RINGING_LINE, free));
      const answered: number[] = [];
      for (let call = 0; call < CALLS; call++) answered.push(await clickToSound(page, TONE_LINE, free));
      return {
        clickToRingbackMs: { cold: ringback[0], warm: spread(ringback.slice(1)) },
        clickToFarEndOfALineThatAnswersAtOnceMs: spread(answered),
      };
    },
    DETECTOR_CONTEXT,
  );
}
