/** Selectors of parts that tests find in every language, so by structure and not by name. */

/** The dialer's number field, its call button, and the two buttons beside that. */
export const NUMBER = "main form input[type=tel]";
export const CALL_NOW = "main form [type=submit]";
export const BESIDE_CALL_NOW = "main form :has(> [type=submit]) > [type=button]";
/** The keys of the dialer's pad. */
export const DIAL_KEYS = "main form > [role=group] > button";

/** What is said of the number in the field. */
export const BOARD = "main [id$=-board]";

/** The view of a running call. */
export const CALL = "section:has([role=timer])";
export const CALL_STATUS = `${CALL} span[role=status]`;
export const CALLEE = "[data-testid=callee]";
/** Mute, sound, keypad and hold, in this order. */
export const CONTROLS = `${CALL} :has(> [aria-expanded]) > button`;
export const LOW_CREDIT_NOTICE = "[data-low-credit]";
/** Why one side of a call does not hear the other. */
export const SOUND_NOTICE = "[data-notice]";
export const HANG_UP = `${CALL} .stack > button`;

/** The balance in the bar. */
export const BALANCE = 'header a[href="/billing"][aria-label]';
/** The charge of a call, and what stands in the pad's place after the call. */
export const LAST_CHARGE = "[data-testid=last-charge]";
export const AFTER_CALL = `main section:has(> p > ${LAST_CHARGE})`;
/** The buttons for language and theme, and for the menu of a narrow screen. */
export const PREFERENCES = "[aria-controls=preferences]";
export const MENU = "[aria-controls=menu]";
export const LANGUAGE_CHOICE = 'select:has(option[value="hi"])';
