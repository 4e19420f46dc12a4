/** The guards of money, calls and access, and the tests that must fail without them. Paths start at the root; files may be globs. */
export const SUBJECTS: Readonly<Record<string, { readonly files: readonly string[]; readonly tests: readonly string[] }>> = {
  charging: {
    files: [
      "domain/src/calls/charge.ts",
      "domain/src/rates/sale-terms.ts",
      "domain/src/numbers/destination-kind.ts",
      "domain/src/numbers/dialled-number.ts",
    ],
    tests: [
      "domain/src/calls/charge.test.ts",
      "domain/src/rates/sale-terms.test.ts",
      "domain/src/numbers/destination-kind.test.ts",
      "domain/src/numbers/dialled-number.test.ts",
      "server/src/rates/refused-numbers.test.ts",
    ],
  },
  tiers: {
    files: ["domain/src/calls/risk-tier.ts", "domain/src/calls/call-terms.ts", "domain/src/calls/call-state.ts"],
    tests: [
      "domain/src/calls/risk-tier.test.ts",
      "domain/src/calls/call-terms.test.ts",
      "domain/src/calls/call-state.test.ts",
      "domain/src/calls/charge.test.ts",
    ],
  },
  decisions: {
    files: [
      "server/src/calls/details/refund-rule.ts",
      "server/src/calls/events/derive-outcome.ts",
      "server/src/billing/payments/decide-payment.ts",
      "server/src/billing/limits/decide-top-up.ts",
      "server/src/promotions/promo/decide-promo.ts",
      "server/src/accounts/google/decide-link.ts",
    ],
    tests: [
      "server/src/calls/details/refund-rule.test.ts",
      "server/src/calls/events/derive-outcome.test.ts",
      "server/src/billing/payments/decide-payment.test.ts",
      "server/src/billing/limits/decide-top-up.test.ts",
      "server/src/promotions/promo/decide-promo.test.ts",
      "server/src/accounts/google/decide-link.test.ts",
    ],
  },
  cases: {
    files: [
      "server/src/cases/*.store.ts",
      "server/src/cases/open-case.ts",
      "server/src/cases/decide-case.ts",
      "server/src/cases/case-routes.ts",
    ],
    tests: ["server/src/cases/cases.test.ts"],
  },
  "provider-events": {
    files: [
      "server/src/calls/events/call-legs.ts",
      "server/src/calls/events/call-progress.ts",
      "server/src/calls/events/record-event.ts",
      "server/src/calls/webhook/receive-provider-event.ts",
      "server/src/calls/webhook/dial-parked-leg.ts",
    ],
    tests: [
      "server/src/calls/provider",
      "server/src/calls/live",
      "server/src/calls/settle",
      "server/src/calls/caller-id",
      "server/src/calls/details",
      "server/src/calls/authorise/initiate-call.test.ts",
      "server/src/calls/authorise/call-rules.test.ts",
    ],
  },
  converge: {
    files: ["server/src/billing/payments/converge-payment.ts", "server/src/billing/stripe/read-stripe-event.ts"],
    tests: [
      "server/src/billing/stripe/read-stripe-event.test.ts",
      "server/src/billing/payments",
      "server/src/billing/disputes",
      "server/src/billing/auto-top-up/auto-top-up.test.ts",
      "server/src/billing/auto-top-up/kept-card.test.ts",
      "server/src/billing/limits/top-up-limits.test.ts",
      "server/src/billing/documents/receipts.test.ts",
      "server/src/promotions",
    ],
  },
  refunds: {
    files: ["server/src/billing/record/withdrawable.ts", "server/src/billing/refunds/order-refund.ts"],
    tests: [
      "server/src/billing/withdrawals/withdrawable.test.ts",
      "server/src/billing/refunds/order-refund.test.ts",
      "server/src/billing/withdrawals/withdrawals.test.ts",
    ],
  },
  authorisation: {
    files: [
      "domain/src/calls/decide-call.ts",
      "server/src/calls/authorise/initiate-call.ts",
      "server/src/calls/authorise/authorise-batch.ts",
      "server/src/calls/record/proposed-call.ts",
      "server/src/calls/authorise/refusal-error.ts",
      "server/src/calls/**/sql/*.sql",
    ],
    tests: [
      "domain/src/calls/decide-call.test.ts",
      "domain/src/calls/decide-call-edges.test.ts",
      "server/src/calls/authorise/initiate-call.test.ts",
      "server/src/calls/authorise/authorise-batch.test.ts",
      "server/src/calls/authorise/call-risk.test.ts",
      "server/src/calls/authorise/call-rules.test.ts",
      "server/src/calls/authorise/free-first-call.test.ts",
      "server/src/calls/authorise/refusal-error.test.ts",
      "server/src/calls/call-is-sound.test.ts",
    ],
  },
  ledger: {
    files: ["server/src/ledger/ledger.store.ts", "server/src/ledger/ledger.ts", "server/src/ledger/sql/*.sql"],
    tests: [
      "server/src/ledger/ledger-guards.test.ts",
      "server/src/ledger/ledger.test.ts",
      "server/src/ledger/ledger-bonus.test.ts",
      "server/src/ledger/read-lines.test.ts",
    ],
  },
  sessions: {
    files: [
      "server/src/accounts/session/authenticate.ts",
      "server/src/accounts/session/session.store.ts",
      "server/src/accounts/session/session-guards.ts",
      "server/src/accounts/session/start-session.ts",
    ],
    tests: [
      "server/src/accounts/session/sessions.test.ts",
      "server/src/accounts/limits/sign-in-limits.test.ts",
      "server/src/accounts/accounts.test.ts",
      "server/src/accounts/second-factor/authenticator.test.ts",
    ],
  },
  "second-factor": {
    files: [
      "server/src/accounts/session/prove-owner.ts",
      "server/src/accounts/credentials/check-code.ts",
      "server/src/accounts/credentials/authenticator-code.ts",
      "server/src/accounts/record/authenticator.store.ts",
      "server/src/accounts/second-factor/set-up-authenticator.ts",
      "server/src/accounts/second-factor/finish-second-factor.ts",
      "server/src/accounts/sign-in/finish-sign-in.ts",
      "server/src/accounts/record/sign-in-challenge.store.ts",
      "server/src/accounts/second-factor/passkeys.ts",
      "server/src/accounts/record/passkey.store.ts",
      "server/src/accounts/second-factor/remove-passkey.ts",
      "server/src/accounts/credentials/recovery-codes.ts",
    ],
    tests: [
      "server/src/accounts/second-factor",
      "server/src/accounts/credentials/authenticator-code.test.ts",
      "server/src/accounts/record/second-factor-stores.test.ts",
      "server/src/accounts/password/change-password.test.ts",
    ],
  },
  takeover: {
    files: [
      "server/src/accounts/sign-in/end-planted-access.ts",
      "server/src/accounts/password/change-password.ts",
      "server/src/accounts/password/reset-password.ts",
      "server/src/accounts/credentials/password-rules.ts",
      "server/src/accounts/email/change-email.ts",
      "server/src/accounts/record/email-change.store.ts",
      "server/src/accounts/record/mail-link.store.ts",
    ],
    tests: [
      "server/src/accounts/credentials",
      "server/src/accounts/email",
      "server/src/accounts/password",
      "server/src/accounts/record/link-stores.test.ts",
      "server/src/accounts/sign-in/end-planted-access.test.ts",
      "server/src/accounts/accounts.test.ts",
    ],
  },
  referral: {
    files: [
      "server/src/promotions/referral/reward-referrals.ts",
      "server/src/promotions/referral/take-back.ts",
      "server/src/promotions/referral/referral.store.ts",
    ],
    tests: ["server/src/promotions/referral", "server/src/billing/withdrawals", "server/src/billing/refunds"],
  },
  promo: {
    files: [
      "server/src/promotions/promo/reserve-promo.ts",
      "server/src/promotions/promo/settle-promo.ts",
      "server/src/promotions/promo/promo.store.ts",
      "server/src/promotions/promo/limit-guesses.ts",
    ],
    tests: ["server/src/promotions/promo/promo.test.ts"],
  },
  "top-up-limits": {
    files: ["server/src/billing/limits/payer-history.store.ts"],
    tests: ["server/src/billing/limits", "server/src/billing/forget-old-records.test.ts"],
  },
};
