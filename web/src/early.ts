import { markDocument, openingLanguage } from "./lib/language.ts";
import { applyTheme, rememberedTheme } from "./lib/theme.ts";

// A script of its own in the page's head: it runs before anything is painted, so that no page flashes in the wrong
// colours or the wrong direction. The content security policy allows no inline script.
applyTheme(rememberedTheme());
markDocument(openingLanguage());
