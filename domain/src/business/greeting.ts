import { cleanLine } from "../clean-text.ts";

const MAX_GREETING_CHARS = 200;

/** What mail programs turn into a link: an address with a scheme, a domain or a mailbox, or a long number. */
const LINK = /:\/\/|www\.|@|[\p{L}\p{N}-]\.\p{L}{2,}|\d[\d\s().-]{6,}\d/iu;

/** A greeting of one line as others may read it; null if it is too long or contains what becomes a link. '' is none. */
export function readGreeting(typed: string): string | null {
  const greeting = cleanLine(typed.normalize("NFKC"));
  return greeting.length > MAX_GREETING_CHARS || LINK.test(greeting) ? null : greeting;
}
