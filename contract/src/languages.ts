import { reason } from "@farline/texts/reason.ts";
import { z } from "zod";
import { languages } from "@farline/domain/languages.ts";

export const language = z.enum(languages, { error: reason("language_unknown") });
export type Language = z.infer<typeof language>;
