import { IconBackspace, IconChevronDown, IconPhoneFilled, IconUserPlus } from "@tabler/icons-react";
import { useState } from "react";
import { useTranslation } from "react-i18next";
import { minutesForOneDollar, priceText } from "../../text/price-text.ts";
import { carryNumber } from "../../browser/carried-number.ts";
import { readSetting } from "../../browser/setting.ts";
import { Flag } from "../../ui/flag.tsx";
import { Icon } from "../../ui/icon.tsx";
import { firstCountry, type PadCountry } from "./pad-countries.ts";
import { FilledField, Form } from "../../ui/forms/form.tsx";
import "../../ui/button.css";
import "../../ui/dial-form.css";
import "../../ui/dial-keys.css";
import "../../ui/number-field.css";
import "../../ui/rate-badge.css";
import "./demo-dial-pad.css";

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

/** A dial pad for visitors: it shows the rate of each country, and its keys lead to the sign-up page. */
export function DemoDialPad({ countries }: { readonly countries: readonly PadCountry[] }) {
  const { t } = useTranslation("landing");
  const [code, setCode] = useState(() => firstCountry(countries)?.[0] ?? "");
  const [number, setNumber] = useState("");
  const country = countries.find(([one]) => one === code);
  const press = (key: string) => setNumber((text) => diallable(text + key));
  return (
    <Form
      className="dial"
      aria-label={t("pad.label")}
      onSubmit={() => {
        if (number.trim() === "") return;
        carryNumber({ number, country: code || null });
        window.location.assign("/register");
      }}
    >
      <div className="numfield">
        <div className="numfield__country">
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
        <div className="numfield__num">
          <label className="sr-only" htmlFor="pad-number">
            {t("pad.number")}
          </label>
          <FilledField id="pad-number" value={number} onFilled={(text) => setNumber(diallable(text))} />
          <input
            id="pad-number"
            dir="ltr"
            type="tel"
            inputMode="tel"
            autoComplete="off"
            maxLength={MAX_CHARACTERS}
            placeholder={t("pad.placeholder")}
            value={number}
            onChange={(event) => setNumber(diallable(event.target.value))}
          />
          <button
            className="btn btn--icon numfield__del"
            type="button"
            aria-label={t("pad.delete")}
            onClick={() => setNumber((text) => text.trimEnd().slice(0, -1))}
          >
            <Icon of={IconBackspace} />
          </button>
        </div>
      </div>
      <PadRate country={country} />
      <PadKeys onPress={press} />
      <div className="hero__do">
        <button className="btn btn--lg btn--call" type="submit" disabled={number.trim() === ""}>
          <Icon of={IconPhoneFilled} />
          <span>{t("pad.call")}</span>
        </button>
        <a
          className="btn btn--lg"
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
  if (country === undefined) return <p className="rate muted">{t("pad.noRate")}</p>;
  const [, , , rate, type] = country;
  const minutes = minutesForOneDollar(rate);
  return (
    <p className="rate" aria-live="polite">
      <span className="rate__price">
        <span>{`${priceText(i18n.language).rate(rate)}${t("public:perMinute")} `}</span>
        <span className="rate__what">{type === "mobile" ? t("pad.mobile") : t("pad.landline")}</span>
      </span>
      {minutes !== null && <span className="rate__dollar">{t("public:dollarBuys", { minutes })}</span>}
    </p>
  );
}

function PadKeys({ onPress }: { readonly onPress: (key: string) => void }) {
  const { t } = useTranslation("landing");
  return (
    <div className="keys" role="group" aria-label={t("pad.keys")} dir="ltr">
      {KEYS.map(([digit, letters]) => {
        const symbol = digit === "*" ? t("pad.star") : digit === "#" ? t("pad.hash") : undefined;
        return (
          <button
            key={digit}
            type="button"
            className={symbol === undefined ? "key" : "key key--sym"}
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

function diallable(text: string): string {
  return text.replace(NOT_DIALLABLE, "").slice(0, MAX_CHARACTERS);
}
