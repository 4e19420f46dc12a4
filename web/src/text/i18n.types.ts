import "i18next";
import type account from "../locales/en/account.json";
import type auth from "../locales/en/auth.json";
import type billing from "../locales/en/billing.json";
import type cases from "../locales/en/cases.json";
import type common from "../locales/en/common.json";
import type company from "../locales/en/company.json";
import type dashboard from "../locales/en/dashboard.json";
import type contacts from "../locales/en/contacts.json";
import type dialer from "../locales/en/dialer.json";
import type history from "../locales/en/history.json";
import type help from "../locales/en/help.json";
import type landing from "../locales/en/landing.json";
import type publicTexts from "../locales/en/public.json";
import type rates from "../locales/en/rates.json";
import type dialerParts from "../locales/en/dialer-parts.json";

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
      public: typeof publicTexts;
      rates: typeof rates;
      "dialer-parts": typeof dialerParts;
    };
  }
}
