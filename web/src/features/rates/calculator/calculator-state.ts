import { countryOfDigits } from "@farline/domain/countries/country-of-digits.ts";

/** A country the calculator knows. */
export interface CalculatorCountry {
  readonly code: string;
  /** Digits after the plus. */
  readonly dialCode: string;
  readonly name: string;
  /** Dollars per minute, decimal string. */
  readonly usualRate: string;
}

/** What the service says about a typed number. */
export interface NumberRate {
  readonly ratePerMinute: string;
  readonly countryCode: string;
  readonly countryName: string;
  /** As the price list names it, in English. */
  readonly description: string;
  readonly numberType: string;
  readonly firstIntervalSeconds: number;
  readonly nextIntervalSeconds: number;
  /** False while too few digits are typed to identify the number. */
  readonly exact: boolean;
}

export interface CalculatorState {
  /** The text of the country field. */
  readonly search: string;
  readonly country: CalculatorCountry | null;
  readonly number: string;
  readonly numberRate: NumberRate | null;
  readonly minutes: number;
}

export type CalculatorAction =
  | { readonly type: "search"; readonly text: string }
  | { readonly type: "choose"; readonly country: CalculatorCountry }
  | { readonly type: "number"; readonly text: string; readonly countries: readonly CalculatorCountry[] }
  | {
      readonly type: "found";
      readonly number: string;
      readonly rate: NumberRate;
      readonly countries: readonly CalculatorCountry[];
    }
  | { readonly type: "minutes"; readonly minutes: number };

export const MIN_MINUTES = 1;
export const MAX_MINUTES = 120;
const DEFAULT_MINUTES = 10;
/** Minimum number of characters for a look-up. */
export const MIN_NUMBER_LENGTH = 3;

export const emptyCalculator: CalculatorState = {
  search: "",
  country: null,
  number: "",
  numberRate: null,
  minutes: DEFAULT_MINUTES,
};

/**
 * Selecting a country sets its usual rate and discards a number's rate, and the number if it has the code of another country. A
 * number with a country code selects its country. A number's rate overrides the usual one, and selects its country if none is
 * selected. Answers for a number that has since changed are ignored.
 */
export function calculate(state: CalculatorState, action: CalculatorAction): CalculatorState {
  switch (action.type) {
    case "search":
      return { ...state, search: action.text, country: action.text === "" ? null : state.country };
    case "choose":
      return {
        ...selected(state, action.country),
        number: isOf(action.country, state.number) ? state.number : "",
        numberRate: null,
      };
    case "number": {
      const code = countryOfDigits(action.text, state.country?.code ?? null, action.countries);
      const country = action.countries.find((one) => one.code === code);
      return { ...selected(state, country), number: action.text, numberRate: null };
    }
    case "minutes":
      return { ...state, minutes: Math.min(MAX_MINUTES, Math.max(MIN_MINUTES, Math.round(action.minutes) || MIN_MINUTES)) };
    default:
      return action.number === state.number ? withNumberRate(state, action.rate, action.countries) : state;
  }
}

function withNumberRate(state: CalculatorState, rate: NumberRate, countries: readonly CalculatorCountry[]): CalculatorState {
  const found = { ...state, numberRate: rate };
  const country = countries.find((one) => one.code === rate.countryCode);
  // An exit code is read by the selected country, which therefore stays.
  const follows = state.country === null || state.country.dialCode === country?.dialCode;
  return follows ? selected(found, country) : found;
}

/** With another country selected, unless there is none to select. */
function selected(state: CalculatorState, country: CalculatorCountry | undefined): CalculatorState {
  return country === undefined || country === state.country ? state : { ...state, country, search: country.name };
}

/** Whether a number may be one of the country's, as far as it is typed. */
function isOf(country: CalculatorCountry, number: string): boolean {
  return countryOfDigits(number, country.code, [country]) !== null;
}

/** The country to which the estimate applies; null if none is selected, or while the number has no known country code. */
export function estimatedCountry({ country, number }: CalculatorState): CalculatorCountry | null {
  return country !== null && isOf(country, number) ? country : null;
}

/** The rate used for the estimate: the number's, otherwise the country's average, otherwise none. */
export function rateInForce(state: CalculatorState): string | null {
  return state.numberRate?.ratePerMinute ?? estimatedCountry(state)?.usualRate ?? null;
}
