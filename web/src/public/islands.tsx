import type { ComponentProps, ComponentType } from "react";
import { DemoDialPad } from "../features/landing/demo-dial-pad.tsx";
import { VisitorCalculator } from "../features/rates/visitor-calculator.tsx";
import { LanguageChoice } from "./language-choice.tsx";
import { NewsletterForm } from "./newsletter-form.tsx";

/** The parts of public pages that live in the browser. All else of a page is a document and needs no script. */
export const islands = {
  "dial-pad": DemoDialPad,
  calculator: VisitorCalculator,
  language: LanguageChoice,
  newsletter: NewsletterForm,
} as const satisfies Readonly<Record<string, ComponentType<never>>>;

export type IslandName = keyof typeof islands;
export type IslandProps<Name extends IslandName> = ComponentProps<(typeof islands)[Name]>;

/** Ids inside an island begin with its name, on the server as in the browser. */
export function idPrefix(name: IslandName): string {
  return `${name}-`;
}
