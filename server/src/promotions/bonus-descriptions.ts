/** What bonus is called in the ledger, for operators. Customers read it in their language. */
export const BONUS_DESCRIPTIONS = {
  welcome: "Welcome bonus",
  invitation: "Bonus for an invitation",
  first_call: "Your first call is free",
} as const;
