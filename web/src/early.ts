import { markDocument, openingLanguage } from "./text/language.ts";
import { enterShellKeys } from "./features/dialer/number/shell-keys.ts";
import { applyTheme, rememberedTheme } from "./browser/theme.ts";

// Runs before the first paint, so that no page flashes in the wrong theme or direction. It is a file because the content
// security policy forbids inline scripts.
applyTheme(rememberedTheme());
markDocument(openingLanguage());
enterShellKeys();
