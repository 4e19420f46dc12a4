/** Stripe's published test cards (docs.stripe.com/testing). No other number is accepted, so that no real card can be. */

export interface Decline {
  /** Stripe's error `code`. */
  code: string;
  declineCode: string | null;
  /** Shown to the payer. */
  message: string;
  /** True if Stripe's own fraud check blocks the payment before it reaches the bank. */
  blocked?: true;
}

export interface TestCard {
  number: string;
  title: string;
  /** One sentence about its behaviour. */
  description: string;
  brand: string;
  /** When the bank asks the cardholder to confirm: never, until the card is saved, or always. */
  challenge: "never" | "until_saved" | "always";
  /** Null if the card pays. */
  decline: Decline | null;
  /** True if it can be saved although every charge is declined. */
  savable?: true;
  /** Opened right after a payment. */
  dispute?: "fraudulent" | "inquiry";
  earlyFraudWarning?: true;
  /** A refund's outcome after some seconds; without it, a refund succeeds at once. */
  lateRefund?: "succeeded" | "failed";
  /** The API's predefined payment methods, `pm_card_…` (docs.stripe.com/testing, tab "PaymentMethods"). */
  aliases: readonly string[];
}

function declined(declineCode: string | null, message: string): Decline {
  return { code: "card_declined", declineCode, message };
}

const ANOTHER_CARD = "Your card was declined. Try a different card.";

const paying: readonly TestCard[] = [
  {
    number: "4242424242424242",
    title: "Card that pays",
    description: "Pays at once.",
    brand: "visa",
    challenge: "never",
    decline: null,
    aliases: ["pm_card_visa"],
  },
  {
    number: "5555555555554444",
    title: "Another card that pays",
    description: "A Mastercard that pays at once.",
    brand: "mastercard",
    challenge: "never",
    decline: null,
    aliases: ["pm_card_mastercard"],
  },
];

const challenging: readonly TestCard[] = [
  {
    number: "4000002500003155",
    title: "Confirmation once",
    description: "The bank asks you to confirm. Once saved, later payments succeed without you.",
    brand: "visa",
    challenge: "until_saved",
    decline: null,
    aliases: ["pm_card_authenticationRequiredOnSetup"],
  },
  {
    number: "4000002760003184",
    title: "Confirmation every time",
    description: "The bank asks you to confirm every payment, so it cannot be charged without you.",
    brand: "visa",
    challenge: "always",
    decline: null,
    aliases: ["pm_card_authenticationRequired"],
  },
  {
    number: "4000008400001629",
    title: "Confirmed, then declined",
    description: "The bank asks you to confirm, then declines anyway.",
    brand: "visa",
    challenge: "always",
    decline: declined("generic_decline", ANOTHER_CARD),
    aliases: ["pm_card_authenticationRequiredChargeDeclined"],
  },
];

const failing: readonly TestCard[] = [
  {
    number: "4000000000000002",
    title: "Declined",
    description: "The bank gives no reason.",
    brand: "visa",
    challenge: "never",
    decline: declined("generic_decline", ANOTHER_CARD),
    aliases: ["pm_card_chargeDeclined", "pm_card_visa_chargeDeclined"],
  },
  {
    number: "4000000000009995",
    title: "Not enough money",
    description: "The bank reports insufficient funds.",
    brand: "visa",
    challenge: "never",
    decline: declined("insufficient_funds", "There is not enough money on this card. Try a different card."),
    aliases: ["pm_card_visa_chargeDeclinedInsufficientFunds"],
  },
  {
    number: "4000000000009987",
    title: "Lost card",
    description: "It was reported lost, but the payer is not told so.",
    brand: "visa",
    challenge: "never",
    decline: declined("lost_card", ANOTHER_CARD),
    aliases: ["pm_card_visa_chargeDeclinedLostCard"],
  },
  {
    number: "4000000000000069",
    title: "Expired card",
    description: "The bank says that it has expired.",
    brand: "visa",
    challenge: "never",
    decline: { code: "expired_card", declineCode: null, message: "Your card has expired. Try a different card." },
    aliases: ["pm_card_chargeDeclinedExpiredCard"],
  },
  {
    number: "4000000000000127",
    title: "Wrong CVC",
    description: "Every CVC is rejected as wrong.",
    brand: "visa",
    challenge: "never",
    decline: { code: "incorrect_cvc", declineCode: null, message: "The security code of your card is not correct." },
    aliases: ["pm_card_chargeDeclinedIncorrectCvc"],
  },
  {
    number: "4000000000000119",
    title: "Processing error",
    description: "An error occurs on the way to the bank.",
    brand: "visa",
    challenge: "never",
    decline: {
      code: "processing_error",
      declineCode: null,
      message: "Something went wrong while your card was processed. Try again in a moment.",
    },
    aliases: ["pm_card_chargeDeclinedProcessingError"],
  },
  {
    number: "4100000000000019",
    title: "Blocked as fraud",
    description: "Stripe's own fraud check blocks it, with the highest risk.",
    brand: "visa",
    challenge: "never",
    decline: { ...declined("fraudulent", ANOTHER_CARD), blocked: true },
    aliases: ["pm_card_radarBlock"],
  },
  {
    number: "4000000000000341",
    title: "Saves, then fails",
    description: "It can be saved for later; every payment with it is declined.",
    brand: "visa",
    challenge: "never",
    decline: declined("generic_decline", ANOTHER_CARD),
    savable: true,
    aliases: ["pm_card_chargeCustomerFail"],
  },
];

const disputable: readonly TestCard[] = [
  {
    number: "4000000000000259",
    title: "Pays, then is disputed",
    description: "The cardholder reports fraud: the money is withdrawn at once.",
    brand: "visa",
    challenge: "never",
    decline: null,
    dispute: "fraudulent",
    aliases: ["pm_card_createDispute"],
  },
  {
    number: "4000000000001976",
    title: "Pays, then an inquiry",
    description: "The bank asks about the payment; no money moves yet.",
    brand: "visa",
    challenge: "never",
    decline: null,
    dispute: "inquiry",
    aliases: ["pm_card_createDisputeInquiry"],
  },
  {
    number: "4000000000005423",
    title: "Pays, then a fraud warning",
    description: "The bank warns that the payment was probably fraudulent.",
    brand: "visa",
    challenge: "never",
    decline: null,
    earlyFraudWarning: true,
    aliases: ["pm_card_createIssuerFraudRecord"],
  },
  {
    number: "4000000000007726",
    title: "Slow refund",
    description: "Pays. A refund is pending for some seconds, then succeeds.",
    brand: "visa",
    challenge: "never",
    decline: null,
    lateRefund: "succeeded",
    aliases: ["pm_card_pendingRefund"],
  },
  {
    number: "4000000000005126",
    title: "Refund that fails",
    description: "Pays. A refund succeeds, then fails after some seconds.",
    brand: "visa",
    challenge: "never",
    decline: null,
    lateRefund: "failed",
    aliases: ["pm_card_refundFail"],
  },
];

/** As listed on the payment page. */
export const cardGroups: readonly { title: string; cards: readonly TestCard[] }[] = [
  { title: "Cards that pay", cards: paying },
  { title: "Cards that need confirmation", cards: challenging },
  { title: "Cards that fail", cards: failing },
  { title: "Cards with later disputes or failing refunds", cards: disputable },
];

const testCards: readonly TestCard[] = cardGroups.flatMap((group) => group.cards);

export function findTestCard(number: string): TestCard | null {
  return testCards.find((card) => card.number === number) ?? null;
}

/** The card of an alias like `pm_card_visa`, or the older `tok_visa`. */
export function findCardAlias(alias: string): TestCard | null {
  const name = alias.replace(/^tok_/, "pm_card_");
  return testCards.find((card) => card.aliases.includes(name)) ?? null;
}

/** "4242424242424242" as "4242 4242 4242 4242". */
export function groupedCardNumber(number: string): string {
  return number.replace(/(\d{4})(?=\d)/g, "$1 ");
}
