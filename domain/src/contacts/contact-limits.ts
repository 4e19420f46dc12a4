/** Numbers one contact may have; an import skips further ones. */
export const MOST_NUMBERS_OF_CONTACT = 20;

/** Limits of a contact file. An error names the row that exceeds one. */
export const contactFileLimits = {
  /** 5 MiB, the pictures of cards not counted. */
  bytes: 5 * 1024 * 1024,
  /** 20 MiB. */
  bytesWithPictures: 20 * 1024 * 1024,
  /** Rows of a table without its head, or cards. */
  rows: 10_000,
  /** Outlook writes 92, Google as many as there are labels. */
  columns: 256,
  /** Characters of one cell, or of one value of a card. */
  cellCharacters: 10_000,
} as const;

/** Characters each part of a contact may have. */
export const contactLengths = { first_name: 100, last_name: 100, company: 120, email: 254, notes: 2000 } as const;

/** Contacts one customer may keep. */
export const MOST_CONTACTS = 10_000;
