import type { CallPrice } from "@farline/contract/rates.ts";
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

type Destination = Pick<CallPrice, "description" | "number_type" | "country_code" | "country_name">;

/** What a price is for: in English as the price list names it, otherwise the country and the kind of number. */
export function destinationText({ description, number_type: type, country_code, country_name: country }: Destination): string {
  return messageText({ message: description, reason: `destination_${type}`, params: { country, country_code } });
}

function isKnown(key: string): key is `service:${Exclude<keyof typeof service, "wait">}` {
  return i18n.exists(key);
}

function waitText({ unit, count }: Wait): string {
  return i18n.t(`service:wait.${unit}`, { count });
}
