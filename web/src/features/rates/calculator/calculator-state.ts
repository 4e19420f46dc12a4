/** A country the calculator knows. */
export interface CalculatorCountry {
  readonly code: string;
  readonly name: string;
  /** Dollars per minute, decimal string. */
  readonly usualRate: string;
}

/** What the service says about a typed number. */
export interface NumberRate {
  readonly ratePerMinute: string;
  readonly countryCode: string;
  readonly countryName: string;
  readonly description: string;
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
  | { readonly type: "number"; readonly text: string }
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
 * Selecting a country sets its usual rate and discards a number's rate. A number's rate overrides it, and selects
 * its country if none is selected. Answers for a number that has since changed are ignored.
 */
export function calculate(state: CalculatorState, action: CalculatorAction): CalculatorState {
  switch (action.type) {
    case "search":
      return { ...state, search: action.text, country: action.text === "" ? null : state.country };
    case "choose":
      return { ...state, search: action.country.name, country: action.country, numberRate: null };
    case "number":
      return { ...state, number: action.text, numberRate: null };
    case "minutes":
      return { ...state, minutes: Math.min(MAX_MINUTES, Math.max(MIN_MINUTES, Math.round(action.minutes) || MIN_MINUTES)) };
    default:
      return action.number === state.number ? withNumberRate(state, action.rate, action.countries) : state;
  }
}

function withNumberRate(state: CalculatorState, rate: NumberRate, countries: readonly CalculatorCountry[]): CalculatorState {
  const found = { ...state, numberRate: rate };
  const country = countries.find((one) => one.code === rate.countryCode);
  return state.country === null && country !== undefined ? { ...found, country, search: country.name } : found;
}

/** The rate used for the estimate: the number's, otherwise the country's average, otherwise none. */
export function rateInForce({ numberRate, country }: CalculatorState): string | null {
  return numberRate?.ratePerMinute ?? country?.usualRate ?? null;
}
