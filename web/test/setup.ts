import "@testing-library/jest-dom/vitest";
import { PATIENCE_MS } from "@farline/domain/test/patience.ts";
import { configure, prettyDOM } from "@testing-library/react";
import { handlePageEvents } from "../src/page-events.ts";
import { translatePage } from "./translate-page.ts";

configure({ asyncUtilTimeout: PATIENCE_MS, getElementError: missingElement });

/** The page is printed when somebody reads the error: a search that is repeated until it succeeds fails often. */
function missingElement(message: string | null, container: Element): Error {
  const error = Object.assign(new Error(), { name: "TestingLibraryElementError" });
  const text = () => [message, prettyDOM(container)].filter(Boolean).join("\n\n");
  return Object.defineProperty(error, "message", { configurable: true, get: text });
}

// The test DOM lacks two properties of select elements, by which forms detect a choice made before hydration.
Object.defineProperty(HTMLSelectElement.prototype, "size", { configurable: true, get: () => 0 });
Object.defineProperty(HTMLOptionElement.prototype, "defaultSelected", {
  configurable: true,
  get(this: HTMLOptionElement) {
    return this.hasAttribute("selected");
  },
  set(this: HTMLOptionElement, isDefault: boolean) {
    this.toggleAttribute("selected", isDefault);
  },
});

// The test DOM lacks what every browser that can call has.
Object.defineProperty(window, "isSecureContext", { configurable: true, value: true });
Object.defineProperty(window, "RTCPeerConnection", { configurable: true, writable: true, value: Object });
Object.defineProperty(navigator, "mediaDevices", { configurable: true, value: { getUserMedia: () => undefined } });

// The page's first script does this.
handlePageEvents();

// `npm run test:full` runs these tests once more under a browser's translation.
if (process.env["TRANSLATED"] === "1") translatePage();
