import { IconPhoneFilled } from "@tabler/icons-react";
import { type ComponentType, type Dispatch, type ReactNode, useEffect, useMemo, useReducer, useRef, useState } from "react";
import { useTranslation } from "react-i18next";
import type { ErrorBody, NumberAlternative } from "@farline/contract/errors.ts";
import { priceText, useIncrementText, useMinutesText } from "../../../text/price-text.ts";
import { localCountryName } from "../../../text/local-text.ts";
import { usePhoneText } from "../../../text/phone-text.ts";
import { carryNumber } from "../../../browser/carried-number.ts";
import { Icon } from "../../../ui/icon.tsx";
import {
  calculate,
  type CalculatorAction,
  type CalculatorCountry,
  type CalculatorState,
  emptyCalculator,
  estimatedCountry,
  MAX_MINUTES,
  MIN_MINUTES,
  MIN_NUMBER_LENGTH,
  type NumberRate,
  rateInForce,
} from "./calculator-state.ts";
import { CountryCombobox } from "./country-combobox.tsx";
import { FilledField, Form } from "../../../ui/forms/form.tsx";
import { NumberQuestion } from "../../../ui/forms/number-question.tsx";
import { classNames } from "../../../ui/class-names.ts";
import { after, anySignal } from "../../../time/timers.ts";
import * as styles from "./calculator.module.css";
import * as fieldStyles from "../../../ui/forms/field.module.css";
import * as buttonStyles from "../../../ui/button.module.css";

const LOOKUP_PAUSE_MS = 500;

export interface CallLinkProps {
  readonly className: string;
  /** Keeps the number and country for the dialer. */
  readonly onClick: () => void;
  readonly children: ReactNode;
}
type CallLink = ComponentType<CallLinkProps>;

interface CalculatorProps {
  readonly countries: readonly CalculatorCountry[];
  /** Target of the call button: sign-up for visitors, the dialer for customers. */
  readonly callLink: CallLink;
}

/** Estimates the cost of a call: the average for a country, the exact rate for a number. */
export function Calculator({ countries, callLink }: CalculatorProps) {
  const { t } = useTranslation("rates");
  const [state, dispatch] = useReducer(calculate, emptyCalculator);
  const choices = useNumberLookup(state, countries, dispatch);
  const enter = (text: string) => dispatch({ type: "number", text, countries });
  return (
    <section
      className={styles.calc}
      aria-label={t("calculator.label")}
      data-carry-country={state.numberRate?.countryCode ?? state.country?.code ?? ""}
      data-carry-number={state.number.trim()}
    >
      <Form className={styles.form} onSubmit={() => undefined}>
        <CountryCombobox
          countries={countries}
          search={state.search}
          chosen={state.country}
          onSearch={(text) => dispatch({ type: "search", text })}
          onChoose={(country) => dispatch({ type: "choose", country })}
        />
        <div className={fieldStyles.field}>
          <label htmlFor="calc-number">
            <span>{`${t("calculator.number")} `}</span>
            <span className={fieldStyles.opt}>{t("calculator.numberOptional")}</span>
          </label>
          <FilledField id="calc-number" value={state.number} onFilled={enter} />
          <input
            className={fieldStyles.input}
            id="calc-number"
            dir="ltr"
            type="tel"
            inputMode="tel"
            autoComplete="off"
            placeholder={t("calculator.numberPlaceholder")}
            value={state.number}
            onChange={(event) => enter(event.target.value)}
          />
          {choices.length > 0 && <WhichNumber choices={choices} onChoose={enter} />}
        </div>
        <Duration minutes={state.minutes} onChange={(minutes) => dispatch({ type: "minutes", minutes })} />
      </Form>
      <Estimate state={state} callLink={callLink} />
    </section>
  );
}

interface WhichNumberProps {
  readonly choices: readonly NumberAlternative[];
  readonly onChoose: (number: string) => void;
}

/** Loads the numbering plans, which visitors need for nothing else. */
function WhichNumber({ choices, onChoose }: WhichNumberProps) {
  const { t, i18n } = useTranslation("common");
  const write = usePhoneText();
  return (
    <NumberQuestion
      question={t(choices.length > 1 ? "numberQuestion.which" : "numberQuestion.this")}
      choices={choices.map(({ number, country_code, country_name }) => ({
        e164: number,
        text: write(number),
        country: localCountryName(i18n.language, country_code, country_name),
      }))}
      onChoose={onChoose}
    />
  );
}

/**
 * Requests the exact rate once typing pauses. A changed number cancels the previous request.
 * @returns the numbers that may be meant by what was typed; none when that is clear
 */
function useNumberLookup(
  state: CalculatorState,
  countries: readonly CalculatorCountry[],
  dispatch: Dispatch<CalculatorAction>,
): readonly NumberAlternative[] {
  const { number } = state;
  const [asked, setAsked] = useState<{ number: string; choices: readonly NumberAlternative[] } | null>(null);
  const countryCode = useRef<string | null>(null);
  useEffect(() => {
    countryCode.current = state.country?.code ?? null;
  }, [state.country]);
  useEffect(() => {
    if (number.trim().length < MIN_NUMBER_LENGTH) return undefined;
    const stop = new AbortController();
    const cancel = after(LOOKUP_PAUSE_MS, async () => {
      const { rate, choices } = await lookUpRate(number.trim(), countryCode.current, stop.signal);
      if (stop.signal.aborted) return;
      setAsked({ number, choices });
      if (rate !== null) dispatch({ type: "found", number, rate, countries });
    });
    return () => {
      cancel();
      stop.abort();
    };
  }, [number, countries, dispatch]);
  return asked?.number === number ? asked.choices : [];
}

function Duration({ minutes, onChange }: { readonly minutes: number; readonly onChange: (minutes: number) => void }) {
  const { t } = useTranslation("rates");
  const minutesText = useMinutesText();
  const slider = useRef<HTMLInputElement>(null);
  useEffect(() => {
    const share = ((minutes - MIN_MINUTES) / (MAX_MINUTES - MIN_MINUTES)) * 100;
    slider.current?.style.setProperty("--v", `${share}%`);
  }, [minutes]);
  return (
    <div className={fieldStyles.field}>
      <div className="spread">
        <label htmlFor="calc-duration" className={fieldStyles.label}>
          {t("calculator.duration")}
        </label>
        <output className={classNames(styles.out, "fig")} htmlFor="calc-duration">
          {t("calculator.minutes", { count: minutes })}
        </output>
      </div>
      <input
        ref={slider}
        className={styles.range}
        id="calc-duration"
        type="range"
        min={MIN_MINUTES}
        max={MAX_MINUTES}
        value={minutes}
        aria-valuetext={t("calculator.minutes", { count: minutes })}
        onChange={(event) => onChange(event.target.valueAsNumber)}
      />
      <div className={classNames(styles.ends, "muted xs fig")} aria-hidden="true">
        <span>{minutesText(MIN_MINUTES)}</span>
        <span>{minutesText(MAX_MINUTES)}</span>
      </div>
    </div>
  );
}

function Estimate({ state, callLink: Call }: { readonly state: CalculatorState; readonly callLink: CallLink }) {
  const { t, i18n } = useTranslation("rates");
  const price = priceText(i18n.language);
  const incrementText = useIncrementText();
  const { numberRate, minutes } = state;
  const country = estimatedCountry(state);
  const rate = rateInForce(state);
  // The price list's own names are in English.
  const destination = ({ description, numberType, countryCode, countryName }: NumberRate): string =>
    i18n.language === "en"
      ? description
      : t("calculator.destination", {
          country: localCountryName(i18n.language, countryCode, countryName),
          type: t(`types.${numberType as "mobile"}`),
        });
  const called =
    numberRate === null ? country?.name : localCountryName(i18n.language, numberRate.countryCode, numberRate.countryName);
  return (
    <div className={classNames(styles.res, "on-panel")}>
      <div>
        <p className="muted">{t("calculator.estimate")}</p>
        <p className={classNames(styles.cost, "fig")}>{rate === null ? "–" : price.estimate(rate, minutes)}</p>
      </div>
      <div className={styles.how} aria-live="polite">
        {rate !== null && (
          <p className="fig">
            {t("calculator.sum", {
              rate: t("perMinute", { rate: price.rate(rate) }),
              minutes: t("calculator.minutes", { count: minutes }),
            })}
          </p>
        )}
        <p className="muted small">
          {numberRate !== null && (
            <span>
              {t(numberRate.exact ? "calculator.exact" : "calculator.prefix", { description: destination(numberRate) })}
            </span>
          )}
          {numberRate?.exact === true && (
            <span>{` ${t("calculator.charged", { how: incrementText(numberRate.firstIntervalSeconds, numberRate.nextIntervalSeconds) })}`}</span>
          )}
          {numberRate === null && country !== null && <span>{t("calculator.usual", { country: country.name })}</span>}
          {rate === null && <span>{t("calculator.none")}</span>}
        </p>
      </div>
      <Call
        className={classNames(buttonStyles.btn, buttonStyles.lg, buttonStyles.call, buttonStyles.wide)}
        onClick={() => carryNumber({ number: state.number.trim(), country: numberRate?.countryCode ?? country?.code ?? null })}
      >
        <Icon of={IconPhoneFilled} />
        <span>{called === undefined ? t("calculator.callNow") : t("calculator.call", { country: called })}</span>
      </Call>
    </div>
  );
}

/** A country as a short array (code, name, calling code, average rate), because the page contains all of them. */
export type CompactCountry = readonly [code: string, name: string, dialCode: string, usualRate: string];

/** The calculator of the public page. */
export function VisitorCalculator({ countries }: { readonly countries: readonly CompactCountry[] }) {
  const full = useMemo(
    () => countries.map(([code, name, dialCode, usualRate]) => ({ code, name, dialCode, usualRate })),
    [countries],
  );
  return <Calculator countries={full} callLink={SignUpLink} />;
}

/** The page's first script keeps what was entered (`web/src/public/start.ts`). */
function SignUpLink({ className, children }: CallLinkProps) {
  return (
    <a className={className} href="/register">
      {children}
    </a>
  );
}

const LOOKUP_TIMEOUT_MS = 10_000;

/** A number's rate, or the numbers that may be meant. Neither without an answer: the calculator then keeps the average. */
interface LookedUp {
  readonly rate: NumberRate | null;
  readonly choices: readonly NumberAlternative[];
}

const NOTHING: LookedUp = { rate: null, choices: [] };

/**
 * Looks up a number's rate without a session token.
 * @param number as typed, at least 3 characters
 */
async function lookUpRate(number: string, countryCode: string | null, signal: AbortSignal): Promise<LookedUp> {
  try {
    const response = await fetch("/api/rates/lookup-number", {
      method: "POST",
      headers: { "Content-Type": "application/json", Accept: "application/json" },
      body: JSON.stringify({ phone_number: number, ...(countryCode === null ? {} : { country_code: countryCode }) }),
      signal: anySignal(signal, AbortSignal.timeout(LOOKUP_TIMEOUT_MS)),
    });
    const body: unknown = await response.json();
    if (response.ok) return { rate: readRate(body), choices: [] };
    return { rate: null, choices: (body as Partial<ErrorBody> | null)?.choices ?? [] };
  } catch (error) {
    if (!signal.aborted) console.warn("Rate look-up failed.", error);
    return NOTHING;
  }
}

function readRate(body: unknown): NumberRate | null {
  const rate = (body as { rate?: Record<string, unknown> } | null)?.rate;
  if (rate?.["connected"] === false) return null;
  if (typeof rate?.["rate_per_minute"] !== "string" || typeof rate["country_code"] !== "string") return null;
  return {
    ratePerMinute: rate["rate_per_minute"],
    countryCode: rate["country_code"],
    countryName: String(rate["country_name"]),
    description: String(rate["description"]),
    numberType: String(rate["number_type"]),
    firstIntervalSeconds: Number(rate["first_interval_s"]),
    nextIntervalSeconds: Number(rate["next_interval_s"]),
    exact: rate["exact"] === true,
  };
}
