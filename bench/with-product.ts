import { writeFileSync } from "node:fs";
import { CALLER_FLAGS, launchOptions } from "@farline/e2e/support/browser.ts";
import { giveTestCredit, signUp } from "@farline/e2e/support/customer.ts";
import { MICROPHONE_FILE, MICROPHONE_HERTZ, toneWav } from "@farline/e2e/support/tone.ts";
import { type Product, removeData, startProduct } from "@farline/e2e/support/product.ts";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "@playwright/test";

/** The product and page of a measurement. */
export interface SignedInPage {
  readonly browser: Browser;
  /** Shows the dialer of a new customer with credit. */
  readonly page: Page;
  readonly email: string;
  readonly product: Product;
}

/** Runs a measurement with its own product and browser, and always stops both. The microphone plays a tone. */
export async function withSignedInPage<Figures>(
  dollars: number,
  measure: (on: SignedInPage) => Promise<Figures>,
  options: BrowserContextOptions = {},
): Promise<Figures> {
  writeFileSync(MICROPHONE_FILE, toneWav(MICROPHONE_HERTZ, 20));
  const product = await startProduct();
  try {
    const browser = await chromium.launch(launchOptions(...CALLER_FLAGS));
    try {
      const page = await (await browser.newContext({ permissions: ["microphone"], ...options })).newPage();
      const email = await signUp(page, product.url);
      await giveTestCredit(page, dollars);
      return await measure({ browser, page, email, product });
    } finally {
      await browser.close();
    }
  } finally {
    await product.stop();
    removeData(product);
  }
}
