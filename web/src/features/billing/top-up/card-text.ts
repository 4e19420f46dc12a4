import { leftToRight } from "../../../text/left-to-right.ts";

/** A card as "Visa •••• 4242", also within right-to-left text. */
export function cardText({ brand, last4 }: { readonly brand: string; readonly last4: string }): string {
  return leftToRight(`${brand.charAt(0).toUpperCase()}${brand.slice(1)} •••• ${last4}`);
}
