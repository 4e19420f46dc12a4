import { CALL_LIMITS, type CallLimits } from "../calls/call-limits.ts";
import type { RiskTier } from "../calls/risk-tier.ts";
import { MICROS_PER_DOLLAR, type Micros } from "../money.ts";
import { MARK_UP, type MarkUp } from "./mark-up.ts";
import { TOP_UP_LIMITS, type TopUpLimits } from "./top-up-limits.ts";

export const CARRIER_COST_LIMITS: CarrierCostLimits = {
  spendPerDayMicros: 500n * MICROS_PER_DOLLAR,
  hourMicros: 20n * MICROS_PER_DOLLAR,
};
export const BREAKERS = {
  /** Percentages of the daily limit at which operators are warned. */
  warnAtPercent: [50n, 80n],
  /** How many times the mean of the same hour in the last seven days is suspicious. */
  maxTimesMean: 5n,
  pauseMs: 60 * 60 * 1000,
} as const;

/** The settings of the business that operators may change while the service runs. */
export interface BusinessSettings {
  readonly markUp: MarkUp;
  readonly carrierCosts: CarrierCostLimits;
  readonly callLimits: Readonly<Record<RiskTier, CallLimits>>;
  readonly topUpLimits: Readonly<Record<RiskTier, TopUpLimits>>;
}

/** Their values until an operator changes them. */
export const DEFAULT_SETTINGS: BusinessSettings = {
  markUp: MARK_UP,
  carrierCosts: CARRIER_COST_LIMITS,
  callLimits: CALL_LIMITS,
  topUpLimits: TOP_UP_LIMITS,
};

interface Range {
  readonly min: bigint;
  readonly max: bigint;
}

/** One of the settings. Amounts are micro-dollars. */
export interface SettingDefinition {
  readonly name: string;
  /** Its place in `BusinessSettings`. */
  readonly path: readonly string[];
  readonly unit: "dollars" | "percent" | "count";
  readonly defaultValue: bigint;
  /** What is accepted at all. */
  readonly bounds: Range;
  /** What one operator may set without another. */
  readonly alone: Range;
}

const MIN_HIGHEST_MICROS = 10n * MICROS_PER_DOLLAR;
const cents = (amount: bigint) => (amount * MICROS_PER_DOLLAR) / 100n;
const dollars = (amount: bigint) => amount * MICROS_PER_DOLLAR;

/** The bounds of settings that apply to all calls. Those of other settings follow from their defaults. */
const BOUNDS: Readonly<Record<string, Pick<SettingDefinition, "bounds" | "alone">>> = {
  "mark-up.percent": { bounds: { min: 10n, max: 300n }, alone: { min: 25n, max: 100n } },
  "mark-up.min-margin": { bounds: { min: 1_000n, max: cents(10n) }, alone: { min: 2_500n, max: cents(2n) } },
  "mark-up.min-price": { bounds: { min: 1_000n, max: cents(50n) }, alone: { min: 5_000n, max: cents(5n) } },
  "carrier-costs.spend-per-day": {
    bounds: { min: dollars(10n), max: dollars(50_000n) },
    alone: { min: dollars(100n), max: dollars(1_000n) },
  },
};

type Path = SettingDefinition["path"];

const PATHS: ReadonlyMap<string, Path> = new Map(pathsIn(DEFAULT_SETTINGS, []).map((path) => [nameOf(path), path]));

/** All settings by name, such as `call-limits.new.spend-per-day`. */
export const SETTINGS: ReadonlyMap<string, SettingDefinition> = new Map(
  [...PATHS].map(([name, path]) => [name, define(name, path)]),
);

/** The settings with these values, by name, in place of their defaults. @throws RangeError for an unknown name or a value out of bounds */
export function withValues(values: ReadonlyMap<string, bigint>): BusinessSettings {
  const settings = copy(DEFAULT_SETTINGS);
  for (const [name, value] of values) {
    const path = PATHS.get(name);
    const definition = SETTINGS.get(name);
    if (path === undefined || definition === undefined) throw new RangeError(`There is no setting ${name}.`);
    if (!isWithin(value, definition.bounds)) throw new RangeError(`The setting ${name} must not be ${value}.`);
    const parent = valueAt(settings, path.slice(0, -1)) as Record<string, bigint | number>;
    const key = path.at(-1) ?? "";
    parent[key] = typeof parent[key] === "number" ? Number(value) : value;
  }
  return settings;
}

export function isWithin(value: bigint, { min, max }: Range): boolean {
  return value >= min && value <= max;
}

/** Unlike `structuredClone`, copies an object that two tiers share twice. */
function copy<Value>(value: Value): Value {
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, copy(inner)])) as Value;
}

/** Every number in `BusinessSettings` is a setting, so that a new limit becomes one as well. */
function pathsIn(value: object, path: Path): Path[] {
  return Object.entries(value).flatMap(([key, inner]: [string, unknown]) => {
    if (typeof inner === "object" && inner !== null) return pathsIn(inner, [...path, key]);
    return typeof inner === "bigint" || typeof inner === "number" ? [[...path, key]] : [];
  });
}

function nameOf(path: Path): string {
  const words = path.map((key) => key.replace(/Micros$/, "").replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`));
  return words.filter((word) => word !== "micros").join(".");
}

function valueAt(settings: object, path: Path): unknown {
  return path.reduce<unknown>((value, key) => (value as Record<string, unknown>)[key], settings);
}

function define(name: string, path: Path): SettingDefinition {
  const unit = unitOf(path.at(-1) ?? "");
  const defaultValue = BigInt(valueAt(DEFAULT_SETTINGS, path) as bigint | number);
  return { name, path, unit, defaultValue, ...(BOUNDS[name] ?? boundsOf(unit, defaultValue)) };
}

function unitOf(key: string): SettingDefinition["unit"] {
  if (/micros$/i.test(key)) return "dollars";
  return key === "percent" ? "percent" : "count";
}

/** One operator may halve or double a setting; nobody may set more than ten times its default. */
function boundsOf(unit: SettingDefinition["unit"], defaultValue: bigint): Pick<SettingDefinition, "bounds" | "alone"> {
  const min = unit === "count" ? 1n : 0n;
  const ten = defaultValue * 10n;
  const max = { count: ten, percent: 100n, dollars: ten > MIN_HIGHEST_MICROS ? ten : MIN_HIGHEST_MICROS }[unit];
  const double = defaultValue * 2n;
  return { bounds: { min, max }, alone: { min: (defaultValue + 1n) / 2n, max: double < max ? double : max } };
}

/** Limits on what carriers take, which stop calls for all customers. Multiplied by LIMITS_SCALE; 0 turns them off. */
export interface CarrierCostLimits {
  /** Maximum carrier cost per UTC day. Each time an operator lifts the breaker, the same amount is added. */
  readonly spendPerDayMicros: Micros;
  /** A prefix or country is paused if its last hour cost more than this, and more than `BREAKERS.maxTimesMean` allows. */
  readonly hourMicros: Micros;
}
