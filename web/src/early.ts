import { askEarly } from "./service/early-answers.ts";
import { markDocument, openingLanguage } from "./text/language.ts";
import { readSetting } from "./browser/setting.ts";
import { applyTheme, rememberedTheme } from "./browser/theme.ts";

// Runs before the first paint, so that no page flashes in the wrong theme or direction, and requests the page's data while
// its scripts load. It is a file because the content security policy forbids inline scripts.
applyTheme(rememberedTheme());
markDocument(openingLanguage());
const token = readSetting("token");
if (token !== null) askEarly(token, location.pathname);
