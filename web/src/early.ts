import { markDocument, openingLanguage } from "./text/language.ts";
import { enterShellKeys } from "./features/dialer/number/shell-keys.ts";
import { applyAppearance } from "./browser/appearance.ts";
import { putOffFont } from "./browser/font.ts";

// Runs before the first paint, so that no page flashes in the wrong theme or direction.
applyAppearance();
putOffFont();
markDocument(openingLanguage());
enterShellKeys();
