/** Guards, and the tests that must fail without them. Paths start at the root; files may be globs. */
export type Subjects = Readonly<Record<string, { readonly files: readonly string[]; readonly tests: readonly string[] }>>;

/** The guards of what operators may do, price lists included. */
export const OPERATOR_SUBJECTS: Subjects = {
  operators: {
    files: [
      "contract/src/operator/rights.ts",
      "server/src/operator/people/operator-sessions.ts",
      "server/src/operator/people/operator-session.store.ts",
      "server/src/operator/people/operator-guard.ts",
      "server/src/operator/people/operator.store.ts",
      "server/src/operator/people/invitation.store.ts",
      "server/src/operator/people/credential.store.ts",
      "server/src/operator/people/sign-in.ts",
      "server/src/operator/people/invite-operator.ts",
      "server/src/operator/people/change-operator.ts",
      "server/src/operator/people/let-in.ts",
      "server/src/operator/people/accept-invitation.ts",
      "server/src/operator/people/command-line.ts",
      "server/src/operator/proposals.ts",
      "server/src/operator/run-operation.ts",
      "server/src/operations/perform.ts",
      "server/src/operations/operations.ts",
      "server/src/context.ts",
    ],
    tests: [
      "server/src/operator/people",
      "server/src/operator/second-operator.test.ts",
      "server/src/operations",
      "server/src/context.test.ts",
    ],
  },
  "operator-limit": {
    files: [
      "server/src/operator/second-operator.ts",
      "server/src/operator/run-operation.ts",
      "server/src/operator/approval.store.ts",
      "server/src/operator/change-account.ts",
      "server/src/promotions/promo/campaigns.ts",
      "server/src/terms/terms.ts",
      "domain/src/business/term-order.ts",
    ],
    tests: [
      "server/src/operator/second-operator.test.ts",
      "server/src/operator/help-customers.test.ts",
      "server/src/operations",
      "server/src/terms",
      "server/src/promotions/promo",
      "domain/src/business/term-order.test.ts",
    ],
  },
  "price-list-orders": {
    files: [
      "server/src/decks/import-deck.ts",
      "server/src/decks/price-guard.ts",
      "server/src/decks/roll-back-deck.ts",
      "server/src/decks/file/bad-rows.ts",
    ],
    tests: ["server/src/decks/import-order.test.ts", "server/src/decks/decks.test.ts", "server/src/decks/price-guard.test.ts"],
  },
  "price-lists": {
    files: [
      "server/src/decks/file/status-words.ts",
      "server/src/decks/file/deck-units.ts",
      "server/src/decks/file/notices.ts",
      "server/src/decks/file/ignored-columns.ts",
      "server/src/decks/build-deck.ts",
      "server/src/decks/file/number-ranges.ts",
      "server/src/decks/file/deck-dates.ts",
      "server/src/decks/file/deck-columns.ts",
      "server/src/decks/file/read-deck-row.ts",
    ],
    tests: [
      "server/src/decks/file/deck-values.test.ts",
      "server/src/decks/file/lists.test.ts",
      "server/src/decks/file/notices.test.ts",
      "server/src/decks/file/read-deck-file.test.ts",
      "server/src/decks/column-map.test.ts",
    ],
  },
};
