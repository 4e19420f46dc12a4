export interface Refund {
  id: string;
  object: "refund";
  amount: number;
  status: "pending" | "requires_action" | "succeeded" | "failed" | "canceled";
  pending_reason?: string;
  payment_intent: string;
  metadata: Record<string, string>;
  created: number;
}
export interface Dispute {
  id: string;
  object: "dispute";
  amount: number;
  currency: string;
  reason: string;
  status: string;
  payment_intent: string;
  created: number;
}
export interface ScriptedEvent {
  id: string;
  object: "event";
  type: string;
  created: number;
  pending_webhooks: 0 | 1;
  data: { object: object };
}
export interface Session {
  id: string;
  object: "checkout.session";
  url: string;
  status: "open" | "complete" | "expired";
  payment_status: "unpaid" | "paid";
  amount_total: number;
  currency: string;
  livemode: boolean;
  customer_email: string | null;
  metadata: Record<string, string>;
  intent: { id: string; status: string };
  /** The declined charges, and finally the paid one. */
  charges: { id: string; status: "succeeded" | "failed"; card: string; created: number }[];
  /** Stripe's name of the payment method, if it is not a card. */
  method: string | null;
  presentment_details?: { presentment_amount: number; presentment_currency: string };
  refunds: Refund[];
  disputes: Dispute[];
  warnings: { id: string; actionable: boolean; fraud_type: string; payment_intent: string; created: number }[];
  params: Record<string, string>;
  created: number;
}

/** A checkout session, as Stripe answers. */
export function shown(session: Session) {
  const { intent: _i, params: _p, charges: _c, method: _m, refunds: _r, disputes: _d, warnings: _w, ...rest } = session;
  return { ...rest, payment_intent: session.status === "complete" ? shownIntent(session) : null };
}

/** A session's payment intent. */
export function shownIntent(session: Session) {
  const { id, status } = session.intent;
  const last = session.charges.length - 1;
  const latest_charge = last < 0 ? null : shownCharge(session, last);
  return {
    id,
    object: "payment_intent",
    created: session.created,
    status,
    metadata: session.metadata,
    customer: null,
    payment_method: null,
    latest_charge,
  };
}

/** One of a session's charges. */
export function shownCharge(session: Session, index: number) {
  const charge = session.charges[index];
  if (charge === undefined) throw new Error("no such charge");
  const { id, status, card, created } = charge;
  const refunded = session.refunds.filter((one) => one.status !== "failed").reduce((sum, { amount }) => sum + amount, 0);
  return {
    id,
    object: "charge",
    status,
    paid: status === "succeeded",
    amount: session.amount_total,
    amount_refunded: refunded,
    disputed: session.disputes.length > 0,
    created,
    metadata: session.metadata,
    payment_intent: session.intent.id,
    failure_code: status === "failed" ? "card_declined" : null,
    payment_method_details:
      session.method === null
        ? { type: "card", card: { brand: "visa", last4: "4242", fingerprint: card, three_d_secure: threeDSecureOf(card) } }
        : { type: session.method, [session.method]: session.method === "sepa_debit" ? { last4: "3000", fingerprint: card } : {} },
  };
}

/** What a payment with this card shows of 3-D Secure: the bank asks the owners of cards so named, and they confirm. */
function threeDSecureOf(card: string): { result: "authenticated" } | null {
  return card.startsWith("confirmed") ? { result: "authenticated" } : null;
}
