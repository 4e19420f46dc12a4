import "i18next";
import type account from "@farline/texts/en/account.json";
import type auth from "@farline/texts/en/auth.json";
import type billing from "@farline/texts/en/billing.json";
import type cases from "@farline/texts/en/cases.json";
import type common from "@farline/texts/en/common.json";
import type company from "@farline/texts/en/company.json";
import type dashboard from "@farline/texts/en/dashboard.json";
import type contacts from "@farline/texts/en/contacts.json";
import type dialer from "@farline/texts/en/dialer.json";
import type history from "@farline/texts/en/history.json";
import type help from "@farline/texts/en/help.json";
import type landing from "@farline/texts/en/landing.json";
import type places from "@farline/texts/en/places.json";
import type publicTexts from "@farline/texts/en/public.json";
import type quality from "@farline/texts/en/quality.json";
import type rates from "@farline/texts/en/rates.json";
import type service from "@farline/texts/en/service.json";
import type dialerParts from "@farline/texts/en/dialer-parts.json";

/** Types `t` with the keys of the English catalogue, so that a misspelt key is a type error. */
declare module "i18next" {
  interface CustomTypeOptions {
    defaultNS: "common";
    resources: {
      common: typeof common;
      account: typeof account;
      auth: typeof auth;
      billing: typeof billing;
      cases: typeof cases;
      company: typeof company;
      contacts: typeof contacts;
      dashboard: typeof dashboard;
      dialer: typeof dialer;
      help: typeof help;
      history: typeof history;
      landing: typeof landing;
      places: typeof places;
      public: typeof publicTexts;
      quality: typeof quality;
      rates: typeof rates;
      service: typeof service;
      "dialer-parts": typeof dialerParts;
    };
  }
}
