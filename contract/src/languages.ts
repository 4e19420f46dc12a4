import { z } from "zod";

/** The languages of the web app and of the mails; English is what everything falls back to. */
export const languages = ["en", "es", "fr", "hi", "ar"] as const;
export const language = z.enum(languages, { error: "Choose one of the languages that Farline speaks." });
export type Language = z.infer<typeof language>;
