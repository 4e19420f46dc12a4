/** An import skips further numbers. */
export const MAX_NUMBERS_PER_CONTACT = 20;

/** Limits of a contact file. */
export const contactFileLimits = {
  /** Without the pictures of cards. */
  bytes: 5 * 1024 * 1024,
  bytesWithPictures: 20 * 1024 * 1024,
  /** Rows of a table without its header, or cards. */
  rows: 10_000,
  /** Outlook writes 92; Google's number grows with the labels in use. */
  columns: 256,
  /** Characters of one cell, or of one value of a card. */
  cellCharacters: 10_000,
} as const;

/** Maximum characters of a contact's fields; `contactDetails` has the rest. */
export const contactLengths = { first_name: 100, last_name: 100, email: 254, notes: 2000 } as const;

/** Per customer. */
export const MAX_CONTACTS = 10_000;
