import { waitOf, type Wait } from "@farline/domain/wait.ts";
import type service from "@farline/texts/en/service.json";
import { WAIT_SECONDS, type Params } from "@farline/texts/reason.ts";
import { countryName } from "./country-name.ts";
import { i18n } from "./i18n.ts";

/** A message from the service: `message` is in English, `reason` and `params` are for other languages. */
interface ServiceMessage {
  readonly message: string;
  readonly reason: string;
  readonly params?: Params | undefined;
}

/** The service's message in the user's language. */
export function messageText({ message, reason, params = {} }: ServiceMessage): string {
  const key = `service:${reason}`;
  if (i18n.language === "en" || !isKnown(key)) return message;
  const { country, country_code: code } = params;
  const named = code === undefined ? params : { ...params, country: countryName(String(code), String(country)) };
  const text = i18n.t(key, named);
  const seconds = params[WAIT_SECONDS];
  return seconds === undefined ? text : `${text} ${waitText(waitOf(Number(seconds)))}`;
}

const SENTENCE_END = /[.!?…।؟]$/;

/** Adds "Check your connection." to what failed, unless it says so already. */
export function withConnectionHint(failure: string): string {
  const hint = i18n.t("checkConnection");
  if (failure.includes(hint.slice(0, -1))) return failure;
  return `${failure}${SENTENCE_END.test(failure) ? "" : hint.slice(-1)} ${hint}`;
}

function isKnown(key: string): key is `service:${Exclude<keyof typeof service, "wait">}` {
  return i18n.exists(key);
}

function waitText({ unit, count }: Wait): string {
  return i18n.t(`service:wait.${unit}`, { count });
}
