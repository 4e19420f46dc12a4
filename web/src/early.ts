import { askEarly } from "./service/early-answers.ts";
import { markDocument, openingLanguage } from "./text/language.ts";
import { readSetting } from "./browser/setting.ts";
import { applyTheme, rememberedTheme } from "./browser/theme.ts";

// A script of its own in the page's head: it runs before anything is painted, so that no page flashes in the wrong
// colours or the wrong direction. The content security policy allows no inline script. And it asks the service for what
// the page will show, while the page's own scripts are on their way.
applyTheme(rememberedTheme());
markDocument(openingLanguage());
const token = readSetting("token");
if (token !== null) askEarly(token, location.pathname);
