import { setPageCookie } from "../session/page-cookie.ts";
import { readSetting, writeSetting } from "./setting.ts";

export const themes = ["system", "light", "dark"] as const;
/** `system`: the device's setting. */
export type Theme = (typeof themes)[number];

const THEME_KEY = "theme";

export function isTheme(value: string | null): value is Theme {
  return themes.some((theme) => theme === value);
}

export function rememberedTheme(): Theme {
  const remembered = readSetting(THEME_KEY);
  return isTheme(remembered) ? remembered : "system";
}

/** Sets `data-theme` on the root element for the style sheets; without it the device decides. */
export function applyTheme(theme: Theme): void {
  if (theme === "system") delete document.documentElement.dataset["theme"];
  else document.documentElement.dataset["theme"] = theme;
}

/** Remembers the chosen theme for the app and for server-rendered pages, and applies it. */
export function chooseTheme(theme: Theme): void {
  const chosen = theme === "system" ? null : theme;
  writeSetting(THEME_KEY, chosen);
  setPageCookie("theme", chosen);
  applyTheme(theme);
}
