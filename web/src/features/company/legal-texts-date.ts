/** Since when the terms and the privacy page say what they say. Change it together with their texts. */
export const LEGAL_TEXTS_DATE = "2026-11-25";
