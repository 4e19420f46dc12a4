/** Effective date of the terms and the privacy page. Change it together with their texts. */
export const LEGAL_TEXTS_DATE = "2026-11-27";
