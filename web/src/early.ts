import { markDocument, openingLanguage } from "./text/language.ts";
import { applyAppearance, chooseTypeface } from "./browser/appearance.ts";
import { handleDrawnPage } from "./browser/drawn-page.ts";
import { handlePageEvents } from "./page-events.ts";

// A script of ours that fails leaves the page as it is: the notice of `styles/unopened.css` is then shown at once.
addEventListener(
  "error",
  (event) => {
    const isOurs = event.target instanceof HTMLScriptElement || event.filename?.startsWith(location.origin);
    if (isOurs) document.documentElement.dataset["failed"] = "";
  },
  true,
);

// Runs before the first paint, so that no page flashes in the wrong theme or direction.
handlePageEvents();
applyAppearance();
chooseTypeface();
markDocument(openingLanguage());
handleDrawnPage();
