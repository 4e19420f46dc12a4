import { z } from "zod";
import { emailField } from "./accounts.ts";
import { language } from "./languages.ts";

/**
 * `POST /api/newsletter`. The answer (messageResponse) is the same for every address; nobody is on the list until the
 * link in the mail is opened. `POST /api/newsletter/confirm` and `/unsubscribe` take a linkRequest.
 */
export const newsletterRequest = z.object({ email: emailField, language: language.optional() });
export type NewsletterRequest = z.infer<typeof newsletterRequest>;
