import { z } from "zod";
import { languages } from "./constants.ts";

export const language = z.enum(languages, { error: "Choose one of the languages that Farline speaks." });
export type Language = z.infer<typeof language>;
