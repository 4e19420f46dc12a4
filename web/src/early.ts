import { markDocument, openingLanguage } from "./text/language.ts";
import { enterShellKeys } from "./features/dialer/number/shell-keys.ts";
import { applyAppearance } from "./browser/appearance.ts";

// Runs before the first paint, so that no page flashes in the wrong theme or direction.
applyAppearance();
markDocument(openingLanguage());
enterShellKeys();
