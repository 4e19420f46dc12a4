/** A country the calculator knows. */
export interface CalculatorCountry {
  readonly code: string;
  readonly name: string;
  /** Dollars per minute, decimal string. */
  readonly averageRate: string;
}

/** What the service says about a typed number. */
export interface NumberRate {
  readonly ratePerMinute: string;
  readonly countryCode: string;
  readonly countryName: string;
  readonly description: string;
  readonly firstIntervalSeconds: number;
  readonly nextIntervalSeconds: number;
  /** False while too few digits are typed to know the number. */
  readonly exact: boolean;
}

export interface CalculatorState {
  /** What stands in the country field. */
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
/** A number is looked up from this many characters on. */
export const MIN_NUMBER_LENGTH = 3;

export const emptyCalculator: CalculatorState = {
  search: "",
  country: null,
  number: "",
  numberRate: null,
  minutes: DEFAULT_MINUTES,
};

/**
 * Choosing a country sets its average and drops the rate of a number; a number's rate overrides the average, and chooses
 * its country when none is chosen. An answer for a number that has changed since says nothing.
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

/** The rate that the estimate is made with: the number's, else the country's average, else none. */
export function rateInForce({ numberRate, country }: CalculatorState): string | null {
  return numberRate?.ratePerMinute ?? country?.averageRate ?? null;
}
