import i18next from "i18next";
import { waitOf } from "@farline/domain/durations.ts";
import operator from "./en/operator.json" with { type: "json" };
import service from "./en/service.json" with { type: "json" };
import { valueFormatter } from "./format-value.ts";
import { type MessageRef, WAIT_SECONDS } from "./reason.ts";

const english = i18next.createInstance();
void english.use(valueFormatter).init({
  lng: "en",
  resources: { en: { service, operator } },
  ns: ["service"],
  defaultNS: "service",
  interpolation: { escapeValue: false },
  initAsync: false,
});

/** A text in English. */
export function inEnglish({ reason, params = {} }: MessageRef): string {
  const text = english.t(reason.replace("operator.", "operator:"), params);
  if (params[WAIT_SECONDS] === undefined) return text;
  const { unit, count } = waitOf(Number(params[WAIT_SECONDS]));
  return `${text} ${english.t(`wait.${unit}`, { count })}`;
}
