/** Stripe's published test cards that this page knows (docs.stripe.com/testing). No other number is accepted, so no real card can be. */

export interface Decline {
  /** Stripe's `code` of the error, and `decline_code` where it has one. */
  code: string;
  declineCode: string | null;
  /** Shown to the person who pays. */
  message: string;
}
export interface TestCard {
  number: string;
  title: string;
  brand: string;
  /** Null when the card pays. */
  decline: Decline | null;
}

function declined(declineCode: string | null, message: string): Decline {
  return { code: "card_declined", declineCode, message };
}

export const testCards: readonly TestCard[] = [
  { number: "4242424242424242", title: "Card that pays", brand: "visa", decline: null },
  {
    number: "4000000000000002",
    title: "Declined",
    brand: "visa",
    decline: declined("generic_decline", "Your card was declined. Try a different card."),
  },
  {
    number: "4000000000009995",
    title: "Not enough money",
    brand: "visa",
    decline: declined("insufficient_funds", "There is not enough money on this card. Try a different card."),
  },
  {
    number: "4000000000009987",
    title: "Lost card",
    brand: "visa",
    decline: declined("lost_card", "Your card was declined. Try a different card."),
  },
  {
    number: "4000000000000069",
    title: "Expired card",
    brand: "visa",
    decline: { code: "expired_card", declineCode: null, message: "Your card has expired. Try a different card." },
  },
  {
    number: "4000000000000127",
    title: "Wrong CVC",
    brand: "visa",
    decline: { code: "incorrect_cvc", declineCode: null, message: "The security code of your card is not correct." },
  },
  {
    number: "4000000000000119",
    title: "Processing error",
    brand: "visa",
    decline: {
      code: "processing_error",
      declineCode: null,
      message: "Something went wrong while your card was processed. Try again in a moment.",
    },
  },
];

export function findTestCard(number: string): TestCard | null {
  return testCards.find((card) => card.number === number) ?? null;
}

/** "4242424242424242" as "4242 4242 4242 4242". */
export function groupedCardNumber(number: string): string {
  return number.replace(/(\d{4})(?=\d)/g, "$1 ");
}
