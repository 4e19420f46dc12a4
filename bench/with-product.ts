import { writeFileSync } from "node:fs";
import { CALLER_FLAGS, launchOptions } from "@farline/e2e/support/browser.ts";
import { giveTestCredit, signUp } from "@farline/e2e/support/customer.ts";
import { MICROPHONE_FILE, MICROPHONE_HERTZ, toneWav } from "@farline/e2e/support/tone.ts";
import { type Product, removeData, startProduct } from "@farline/e2e/support/product.ts";
import { type Browser, type BrowserContextOptions, chromium, type Page } from "@playwright/test";

/** Runs a measurement with a product of its own, which always ends. */
export async function withProduct<Figures>(
  measure: (product: Product) => Promise<Figures>,
  env: Record<string, string> = {},
): Promise<Figures> {
  const product = await startProduct({ env });
  try {
    return await measure(product);
  } finally {
    await product.stop();
    removeData(product);
  }
}

/** Runs a measurement with a browser of its own, which always ends. */
export async function withBrowser<Figures>(
  measure: (browser: Browser) => Promise<Figures>,
  ...flags: readonly string[]
): Promise<Figures> {
  const browser = await chromium.launch(launchOptions(...flags));
  try {
    return await measure(browser);
  } finally {
    await browser.close();
  }
}

/** The product and page of a measurement. */
interface SignedInPage {
  readonly browser: Browser;
  /** Shows the dialer of a new customer with credit. */
  readonly page: Page;
  readonly email: string;
  readonly product: Product;
}

/** Runs a measurement with a product and a browser of its own. The microphone plays a tone. */
export function withSignedInPage<Figures>(
  dollars: number,
  measure: (on: SignedInPage) => Promise<Figures>,
  options: BrowserContextOptions = {},
): Promise<Figures> {
  writeFileSync(MICROPHONE_FILE, toneWav(MICROPHONE_HERTZ, 20));
  return withProduct((product) =>
    withBrowser(
      async (browser) => {
        const page = await (await browser.newContext({ permissions: ["microphone"], ...options })).newPage();
        const email = await signUp(page, product.url);
        await giveTestCredit(page, dollars);
        return measure({ browser, page, email, product });
      },
      ...CALLER_FLAGS,
    ),
  );
}
