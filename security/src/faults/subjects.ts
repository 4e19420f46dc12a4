/** What guards money, calls and access, and the tests that must notice when a guard is gone. Paths from the root. */
export const SUBJECTS: Readonly<Record<string, { readonly files: readonly string[]; readonly tests: readonly string[] }>> = {
  charging: {
    files: ["domain/src/charge.ts", "domain/src/sale-terms.ts", "domain/src/destination-kind.ts", "domain/src/dialled-number.ts"],
    tests: [
      "domain/src/charge.test.ts",
      "domain/src/sale-terms.test.ts",
      "domain/src/destination-kind.test.ts",
      "domain/src/dialled-number.test.ts",
      "server/src/rates/refused-numbers.test.ts",
    ],
  },
  tiers: {
    files: ["domain/src/risk-tier.ts", "domain/src/call-terms.ts", "domain/src/call-state.ts"],
    tests: [
      "domain/src/risk-tier.test.ts",
      "domain/src/call-terms.test.ts",
      "domain/src/call-state.test.ts",
      "domain/src/charge.test.ts",
    ],
  },
  "refund-rule": { files: ["server/src/calls/details/refund-rule.ts"], tests: ["server/src/calls/details/refund-rule.test.ts"] },
  "provider-events": {
    files: [
      "server/src/calls/derive-outcome.ts",
      "server/src/calls/record-event.ts",
      "server/src/calls/receive-provider-event.ts",
      "server/src/calls/dial-parked-leg.ts",
    ],
    tests: [
      "server/src/calls/derive-outcome.test.ts",
      "server/src/calls/provider-events.test.ts",
      "server/src/calls/stray-legs.test.ts",
      "server/src/calls/ended-call-legs.test.ts",
    ],
  },
  converge: {
    files: [
      "server/src/billing/converge-payment.ts",
      "server/src/billing/decide-payment.ts",
      "server/src/billing/read-stripe-event.ts",
    ],
    tests: [
      "server/src/billing/converge-payment.test.ts",
      "server/src/billing/payment-session.test.ts",
      "server/src/billing/checkout.test.ts",
      "server/src/billing/disputes",
    ],
  },
  refunds: {
    files: ["server/src/billing/withdrawals/withdrawable.ts", "server/src/billing/refunds/order-refund.ts"],
    tests: ["server/src/billing/withdrawals", "server/src/billing/refunds"],
  },
  authorisation: {
    files: ["server/src/calls/authorise-call.ts", "server/src/calls/call-risk.ts", "server/src/calls/call-refusal.ts"],
    tests: [
      "server/src/calls/authorise-call.test.ts",
      "server/src/calls/call-risk.test.ts",
      "server/src/calls/call-rules.test.ts",
    ],
  },
  ledger: { files: ["server/src/ledger/ledger.store.ts", "server/src/ledger/ledger.ts"], tests: ["server/src/ledger"] },
  sessions: {
    files: [
      "server/src/accounts/authenticate.ts",
      "server/src/accounts/session.store.ts",
      "server/src/accounts/session-keepers.ts",
      "server/src/accounts/prove-owner.ts",
    ],
    tests: [
      "server/src/accounts/sessions.test.ts",
      "server/src/accounts/second-factor",
      "server/src/accounts/change-password.test.ts",
    ],
  },
};
