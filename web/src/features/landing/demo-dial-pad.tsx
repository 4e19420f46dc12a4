import { asciiDigits } from "@farline/domain/ascii-digits.ts";
import { countryOfDigits } from "@farline/domain/countries/country-of-digits.ts";
import { fromDecimalString } from "@farline/domain/money.ts";
import { IconBackspace, IconChevronDown, IconPhoneFilled, IconUserPlus } from "@tabler/icons-react";
import { useState, useSyncExternalStore } from "react";
import { useTranslation } from "react-i18next";
import * as buttonStyles from "../../ui/button.module.css";
import * as diallingStyles from "../../ui/dialling/dialling.module.css";
import * as styles from "./landing-parts.module.css";
import { carryNumber } from "../../browser/carried-number.ts";
import { readSetting } from "../../browser/storage.ts";
import { minutesForOneDollar, priceText, useMinutesText } from "../../text/price-text.ts";
import { classNames } from "../../ui/class-names.ts";
import { Flag } from "../../ui/flag.tsx";
import { FilledField, Form } from "../../ui/forms/form.tsx";
import { Icon } from "../../ui/icon.tsx";
import { FreeFirstCall } from "../../ui/money/free-first-call.tsx";
import { firstCountry, type PadCountry } from "./landing-rates.ts";
import { browserCountry } from "../../browser/reader-locale.ts";
import { useComposedField } from "../../ui/forms/use-composed-field.ts";

const MAX_CHARACTERS = 30;
const NOT_DIALLABLE = /[^\d+*#\s().-]/g;
const KEYS = [
  ["1", ""],
  ["2", "ABC"],
  ["3", "DEF"],
  ["4", "GHI"],
  ["5", "JKL"],
  ["6", "MNO"],
  ["7", "PQRS"],
  ["8", "TUV"],
  ["9", "WXYZ"],
  ["*", ""],
  ["0", "+"],
  ["#", ""],
] as const;

interface DemoDialPadProps {
  readonly countries: readonly PadCountry[];
  /** First-call credit in dollars; null if this reader gets none. */
  readonly firstCall: string | null;
}

/** A dial pad for visitors: it shows the rate of each country, and its keys lead to the sign-up page. */
export function DemoDialPad({ countries, firstCall }: DemoDialPadProps) {
  const { t } = useTranslation("landing");
  // Only the browser knows the visitor's own country, not the service that rendered the page.
  const own = useSyncExternalStore(neverChanges, browserCountry, () => undefined);
  const [chosen, setCode] = useState<string | null>(null);
  const code = chosen ?? (countries.find(([one]) => one === own) ?? firstCountry(countries))?.[0] ?? "";
  const [number, setNumber] = useState("");
  const country = countries.find(([one]) => one === code);
  const enter = (text: string) => {
    const typed = diallable(text);
    // A cut number would be another one.
    if (typed.length > MAX_CHARACTERS) return;
    setNumber(typed);
    setCode(calledCode(typed, code, countries) ?? code);
  };
  const composed = useComposedField(number, ({ value }) => enter(value));
  return (
    <Form
      className={diallingStyles.dial}
      aria-label={t("pad.label")}
      data-carry-country={code}
      data-carry-number={number.trim()}
      onSubmit={() => {
        if (number.trim() === "") return;
        carryNumber({ number, country: code || null });
        window.location.assign("/register");
      }}
    >
      <div className={diallingStyles.numfield}>
        <div className={diallingStyles.country}>
          {country !== undefined && <Flag code={country[0]} />}
          <label className="sr-only" htmlFor="pad-country">
            {t("pad.country")}
          </label>
          <FilledField id="pad-country" value={code} onFilled={setCode} />
          <select id="pad-country" value={code} onChange={(event) => setCode(event.target.value)}>
            {countries.map(([iso2, name, dialCode]) => (
              <option key={iso2} value={iso2}>
                {t("pad.option", { name, code: dialCode })}
              </option>
            ))}
          </select>
          <Icon of={IconChevronDown} />
        </div>
        <div className={styles.demoNum}>
          <label className="sr-only" htmlFor="pad-number">
            {t("pad.number")}
          </label>
          <FilledField id="pad-number" value={number} onFilled={enter} />
          <input
            id="pad-number"
            dir="ltr"
            type="tel"
            inputMode="tel"
            autoComplete="off"
            placeholder={t("pad.placeholder")}
            {...composed}
          />
          <button
            className={classNames(buttonStyles.btn, buttonStyles.icon, styles.demoDelete)}
            type="button"
            aria-label={t("pad.delete")}
            onClick={() => enter(number.trimEnd().slice(0, -1))}
          >
            <Icon of={IconBackspace} />
          </button>
        </div>
      </div>
      <div className={classNames(styles.demoFacts, calledCode(number, code, countries) === null && styles.nowhere)}>
        <PadRate country={country} />
        {firstCall !== null && country !== undefined && <PadFreeCall amount={firstCall} country={country} />}
      </div>
      <PadKeys onPress={(key) => enter(number + key)} />
      <div className={styles.demoActions}>
        <button
          className={classNames(buttonStyles.btn, buttonStyles.lg, buttonStyles.call)}
          type="submit"
          disabled={number.trim() === ""}
        >
          <Icon of={IconPhoneFilled} />
          <span>{t("pad.call")}</span>
        </button>
        <a
          className={classNames(buttonStyles.btn, buttonStyles.lg)}
          href="/register"
          onClick={(event) => {
            // A user who has signed in meanwhile, perhaps in another tab, gets the dialer with this number.
            if (readSetting("token") === null) return;
            event.preventDefault();
            window.location.assign(`/contacts?add=${encodeURIComponent(number.trim())}`);
          }}
        >
          <Icon of={IconUserPlus} />
          <span>{t("pad.addContact")}</span>
        </a>
      </div>
    </Form>
  );
}

function PadRate({ country }: { readonly country: PadCountry | undefined }) {
  const { t, i18n } = useTranslation(["landing", "public"]);
  const minutesText = useMinutesText();
  if (country === undefined) return <p className={classNames(diallingStyles.rate, "muted")}>{t("pad.noRate")}</p>;
  const [, , , rate, type] = country;
  const minutes = minutesForOneDollar(rate);
  return (
    <p className={diallingStyles.rate} aria-live="polite">
      <span className={diallingStyles.price}>
        <span>{`${priceText(i18n.language).rate(rate)}${t("public:perMinute")} `}</span>
        <span className={diallingStyles.what}>{type === "mobile" ? t("pad.mobile") : t("pad.landline")}</span>
      </span>
      {minutes !== null && (
        <span className={diallingStyles.dollar}>{t("public:dollarBuys", { minutes: minutesText(minutes) })}</span>
      )}
    </p>
  );
}

/** Subscribes to a value that stays the same while the page is open. */
function neverChanges(): () => void {
  return () => undefined;
}

function PadFreeCall({ amount, country: [, name, , rate] }: { readonly amount: string; readonly country: PadCountry }) {
  const price = { ratePerMinuteMicros: fromDecimalString(rate), firstIntervalSeconds: 1, nextIntervalSeconds: 1 };
  return <FreeFirstCall amount={amount} price={price} country={name} />;
}

function PadKeys({ onPress }: { readonly onPress: (key: string) => void }) {
  const { t } = useTranslation("landing");
  return (
    <div className={diallingStyles.keys} role="group" aria-label={t("pad.keys")} dir="ltr">
      {KEYS.map(([digit, letters]) => {
        const symbol = digit === "*" ? t("pad.star") : digit === "#" ? t("pad.hash") : undefined;
        return (
          <button
            key={digit}
            type="button"
            className={symbol === undefined ? diallingStyles.key : classNames(diallingStyles.key, diallingStyles.sym)}
            aria-label={symbol}
            onClick={() => onPress(digit)}
          >
            <b>{digit}</b>
            {symbol === undefined && <small aria-hidden="true">{letters === "" ? "\u00a0" : letters}</small>}
          </button>
        );
      })}
    </div>
  );
}

/** The country that the number leads to; null while no country has its calling code. */
function calledCode(number: string, chosen: string, countries: readonly PadCountry[]): string | null {
  return countryOfDigits(
    number,
    chosen,
    countries.map(([code, , dialCode]) => ({ code, dialCode })),
  );
}

function diallable(text: string): string {
  return asciiDigits(text)
    .replace(NOT_DIALLABLE, "")
    .replace(/^[^\d+*#(]+|\s+(?=\s)/g, "");
}
