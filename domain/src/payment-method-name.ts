/** Display names by Stripe's keys (docs.stripe.com/api/charges/object, payment_method_details). */
const NAMES: Readonly<Record<string, string>> = {
  acss_debit: "Canadian bank debit",
  alipay: "Alipay",
  amazon_pay: "Amazon Pay",
  amex: "American Express",
  au_becs_debit: "BECS Direct Debit",
  bacs_debit: "Bacs Direct Debit",
  bancontact: "Bancontact",
  blik: "BLIK",
  boleto: "Boleto",
  cashapp: "Cash App Pay",
  diners: "Diners Club",
  eps: "EPS",
  fpx: "FPX",
  grabpay: "GrabPay",
  ideal: "iDEAL",
  jcb: "JCB",
  kakao_pay: "KakaoPay",
  klarna: "Klarna",
  konbini: "Konbini",
  link: "Link",
  mastercard: "Mastercard",
  mb_way: "MB WAY",
  mobilepay: "MobilePay",
  multibanco: "Multibanco",
  oxxo: "OXXO",
  p24: "Przelewy24",
  paynow: "PayNow",
  paypal: "PayPal",
  pix: "Pix",
  promptpay: "PromptPay",
  revolut_pay: "Revolut Pay",
  sepa_debit: "SEPA Direct Debit",
  swish: "Swish",
  twint: "TWINT",
  unionpay: "UnionPay",
  us_bank_account: "US bank account",
  visa: "Visa",
  wechat_pay: "WeChat Pay",
};

/** The display name of a card or payment method: "Visa •••• 4242", "PayPal". Unknown ones show Stripe's key with spaces. */
export function paymentMethodName({ brand, last4 }: { readonly brand: string; readonly last4: string | null }): string {
  const plain = brand.replaceAll("_", " ");
  const name = NAMES[brand] ?? plain.charAt(0).toUpperCase() + plain.slice(1);
  return last4 === null ? name : `${name} •••• ${last4}`;
}
