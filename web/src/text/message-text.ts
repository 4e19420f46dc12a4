import type { CallPrice } from "@farline/contract/rates.ts";
import { writing } from "@farline/domain/languages.ts";
import { moneyText } from "@farline/domain/money-text.ts";
import { type Wait, waitOf } from "@farline/domain/durations.ts";
import type service from "@farline/texts/en/service.json";
import { type Params, WAIT_SECONDS } from "@farline/texts/reason.ts";
import { currentLanguage, i18n, countryName } from "./i18n.ts";

/** A message from the service: `message` is in English, `reason` and `params` are for other languages. */
interface ServiceMessage {
  readonly message: string;
  readonly reason: string;
  readonly params?: Params | undefined;
}

/** An amount as the service sends it: "0.25" for texts that have the dollar sign, else "$0.25". */
const AMOUNT = /^(\$?)(\d+\.\d{2,6})$/;

/** The service's message in the user's language. */
export function messageText({ message, reason, params = {} }: ServiceMessage): string {
  const key = `service:${reason}`;
  if (i18n.language === "en" || !isKnown(key)) return message;
  const { country, country_code: code } = params;
  const named = code === undefined ? params : { ...params, country: countryName(String(code), String(country)) };
  const text = i18n.t(key, Object.fromEntries(Object.entries(named).map(([name, value]) => [name, amountText(value)])));
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

/** Writes an amount in the user's language, in French "0,25". Other values stay as they are. */
function amountText(value: string | number): string | number {
  const [, sign, amount] = AMOUNT.exec(String(value)) ?? [];
  if (amount === undefined) return value;
  if (sign === "$") return moneyText(amount, currentLanguage());
  const decimals = amount.split(".")[1]?.length;
  return new Intl.NumberFormat(writing[currentLanguage()].figures, {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
    numberingSystem: "latn",
  }).format(amount as `${number}`);
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
