/** "Visa •••• 4242"; null if the provider did not report the card. */
export function cardName(of: { card_brand: string | null; card_last4: string | null }): string | null {
  if (of.card_brand === null || of.card_last4 === null) return null;
  return `${of.card_brand.charAt(0).toUpperCase()}${of.card_brand.slice(1)} •••• ${of.card_last4}`;
}
