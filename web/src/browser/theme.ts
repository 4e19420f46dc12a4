import { tellPages } from "../session/page-cookie.ts";
import { readSetting, writeSetting } from "./setting.ts";

export const themes = ["system", "light", "dark"] as const;
/** `system`: as the device is set. */
export type Theme = (typeof themes)[number];

const THEME_KEY = "theme";

export function isTheme(value: string | null): value is Theme {
  return themes.some((theme) => theme === value);
}

export function rememberedTheme(): Theme {
  const remembered = readSetting(THEME_KEY);
  return isTheme(remembered) ? remembered : "system";
}

/** Dresses the page: `data-theme` on the root element, which the style sheets read; without it the device decides. */
export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

/** Remembers a theme chosen by hand, for the app and for the pages that the service writes, and dresses the page in it. */
export function chooseTheme(theme: Theme): void {
  const chosen = theme === "system" ? null : theme;
  writeSetting(THEME_KEY, chosen);
  tellPages("theme", chosen);
  applyTheme(theme);
}
