import { afterEach, beforeEach, expect, it, vi } from "vitest";
import dialer from "@farline/texts/es/dialer.json";
import { changeLanguage, i18n, loadTexts } from "./i18n.ts";
import { memoryStorage } from "../../test/memory-storage.ts";

beforeEach(() => {
  vi.stubGlobal("localStorage", memoryStorage());
  vi.stubGlobal("document", { documentElement: {}, cookie: "" });
});
afterEach(() => vi.unstubAllGlobals());

it("a page opened while the language changes has its texts in the new one", async () => {
  const changed = changeLanguage("es");
  await loadTexts("dialer");
  await changed;
  expect(i18n.language).toBe("es");
  expect(i18n.t("dialer:title")).toBe(dialer.title);
});
