import { formatValue } from "@farline/texts/format-value.ts";
import type { FormatterModule } from "i18next";

/** Lets texts format the values that they fill in. */
export const valueFormatter: FormatterModule = {
  type: "formatter",
  init: () => undefined,
  add: () => undefined,
  addCached: () => undefined,
  format: (value, format) => formatValue(String(value), format),
};
