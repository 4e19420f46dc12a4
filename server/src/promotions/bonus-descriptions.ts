/** Descriptions of bonuses in the ledger, for operators. Customers see translations. */
export const BONUS_DESCRIPTIONS = {
  welcome: "Welcome bonus",
  invitation: "Bonus for an invitation",
  first_call: "Your first call is free",
} as const;
