import type { ComponentProps, ComponentType } from "react";
import { HelpSearch } from "../features/help/help-search.tsx";
import { DemoDialPad } from "../features/landing/demo-dial-pad.tsx";
import { VisitorCalculator } from "../features/rates/calculator/calculator.tsx";
import { NewsletterForm } from "./frame/newsletter-form.tsx";
import { ReaderChoices } from "./frame/reader-choices.tsx";

/** The parts of public pages that are hydrated in the browser. The rest of a page needs no script. */
export const islands = {
  "dial-pad": DemoDialPad,
  calculator: VisitorCalculator,
  "help-search": HelpSearch,
  newsletter: NewsletterForm,
  "reader-choices": ReaderChoices,
} as const satisfies Readonly<Record<string, ComponentType<never>>>;

export type IslandName = keyof typeof islands;
export type IslandProps<Name extends IslandName> = ComponentProps<(typeof islands)[Name]>;

/** Ids inside an island start with its name, so that they match on the server and in the browser. */
export function idPrefix(name: IslandName): string {
  return `${name}-`;
}
