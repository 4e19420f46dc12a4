import { writeFileSync } from "node:fs";
import { temporaryFolder } from "@farline/server/test/temporary-folder.ts";
import { MICROPHONE_FILE, MICROPHONE_HERTZ, toneWav } from "./tone.ts";
import { databaseUrlOf, removeData, startProduct } from "./product.ts";

/** One product for all browser tests; each test creates its own customer. */
export default async function globalSetup(): Promise<() => Promise<void>> {
  writeFileSync(MICROPHONE_FILE, toneWav(MICROPHONE_HERTZ, 20));
  const product = await startProduct({ dataDir: temporaryFolder("farline-e2e-") });
  process.env["PRODUCT_URL"] = product.url;
  process.env["PRODUCT_SANDBOX_URL"] = product.sandboxUrl;
  process.env["PRODUCT_DATA_DIR"] = product.dataDir;
  process.env["PRODUCT_DATABASE_URL"] = databaseUrlOf(product);
  return async () => {
    await product.stop();
    removeData(product);
  };
}
