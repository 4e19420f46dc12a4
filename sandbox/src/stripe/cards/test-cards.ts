/** Stripe's published test cards that this stand-in knows (docs.stripe.com/testing). No other number is accepted, so no real card can be. */

export interface Decline {
  /** Stripe's `code` of the error, and `decline_code` where it has one. */
  code: string;
  declineCode: string | null;
  /** Shown to the person who pays. */
  message: string;
  /** True when Stripe's own fraud check stops the payment before the bank hears of it. */
  blocked?: true;
}

export interface TestCard {
  number: string;
  title: string;
  /** What it does, in a sentence. */
  description: string;
  brand: string;
  /** When the bank asks its owner to confirm: never, until the card was saved for later, or every time. */
  challenge: "never" | "until_saved" | "always";
  /** Null when the card pays. */
  decline: Decline | null;
  /** True when it can be saved although every charge is declined. */
  savable?: true;
  /** What happens by itself after a payment went through. */
  dispute?: "fraudulent" | "inquiry";
  earlyFraudWarning?: true;
  /** How a refund turns out, some seconds after it was made; at once without it. */
  lateRefund?: "succeeded" | "failed";
  /** Ready-made payment methods of the API, `pm_card_…` (docs.stripe.com/testing, tab "PaymentMethods"). */
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
    title: "Asks the bank once",
    description: "The bank asks you to confirm. Once saved, later payments go through without you.",
    brand: "visa",
    challenge: "until_saved",
    decline: null,
    aliases: ["pm_card_authenticationRequiredOnSetup"],
  },
  {
    number: "4000002760003184",
    title: "Asks the bank every time",
    description: "The bank asks you to confirm every payment, so nobody can charge it without you.",
    brand: "visa",
    challenge: "always",
    decline: null,
    aliases: ["pm_card_authenticationRequired"],
  },
  {
    number: "4000008400001629",
    title: "Confirmed, then declined",
    description: "The bank asks you to confirm, then declines all the same.",
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
    description: "The bank says that there is not enough money.",
    brand: "visa",
    challenge: "never",
    decline: declined("insufficient_funds", "There is not enough money on this card. Try a different card."),
    aliases: ["pm_card_visa_chargeDeclinedInsufficientFunds"],
  },
  {
    number: "4000000000009987",
    title: "Lost card",
    description: "It was reported lost, which its holder is not told.",
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
    description: "Whatever CVC you type is wrong.",
    brand: "visa",
    challenge: "never",
    decline: { code: "incorrect_cvc", declineCode: null, message: "The security code of your card is not correct." },
    aliases: ["pm_card_chargeDeclinedIncorrectCvc"],
  },
  {
    number: "4000000000000119",
    title: "Processing error",
    description: "Something breaks on the way to the bank.",
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
    description: "Stripe's own fraud check stops it, with the highest risk.",
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

const haunted: readonly TestCard[] = [
  {
    number: "4000000000000259",
    title: "Pays, then is disputed",
    description: "Its holder says that somebody else paid: the money is taken back at once.",
    brand: "visa",
    challenge: "never",
    decline: null,
    dispute: "fraudulent",
    aliases: ["pm_card_createDispute"],
  },
  {
    number: "4000000000001976",
    title: "Pays, then the bank asks",
    description: "An inquiry: the bank asks about the payment, no money moves yet.",
    brand: "visa",
    challenge: "never",
    decline: null,
    dispute: "inquiry",
    aliases: ["pm_card_createDisputeInquiry"],
  },
  {
    number: "4000000000005423",
    title: "Pays, then a fraud warning",
    description: "The bank warns that the payment was probably fraud.",
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
    description: "Pays. A refund looks well for some seconds, then fails.",
    brand: "visa",
    challenge: "never",
    decline: null,
    lateRefund: "failed",
    aliases: ["pm_card_refundFail"],
  },
];

/** As they are offered to somebody who pays. */
export const cardGroups: readonly { title: string; cards: readonly TestCard[] }[] = [
  { title: "Cards that pay", cards: paying },
  { title: "Cards whose bank asks", cards: challenging },
  { title: "Cards that fail", cards: failing },
  { title: "Cards with an aftermath", cards: haunted },
];

const testCards: readonly TestCard[] = cardGroups.flatMap((group) => group.cards);

export function findTestCard(number: string): TestCard | null {
  return testCards.find((card) => card.number === number) ?? null;
}

/** The card behind `pm_card_visa`, or the older `tok_visa`. */
export function findCardAlias(alias: string): TestCard | null {
  const name = alias.replace(/^tok_/, "pm_card_");
  return testCards.find((card) => card.aliases.includes(name)) ?? null;
}

/** "4242424242424242" as "4242 4242 4242 4242". */
export function groupedCardNumber(number: string): string {
  return number.replace(/(\d{4})(?=\d)/g, "$1 ");
}
