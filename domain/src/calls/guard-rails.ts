import type { Micros } from "../money.ts";

/**
 * The limits that customers set for their own credit, by name, and of what kind each is. A limit is a column of `guard_rail`, a line here,
 * a rule of `decideCall` and a field on the account page; everything else follows from this list.
 */
export const GUARD_RAILS = {
  /** Maximum cost of calls per day. */
  daily_cap: "amount",
  /** Maximum cost of one call. */
  call_cap: "amount",
  /** The only countries that may be called. */
  countries: "countries",
} as const satisfies Record<string, keyof RailValues>;

/** The value of each kind; null for no limit. */
interface RailValues {
  readonly amount: Micros | null;
  readonly countries: string[] | null;
}

export type GuardRailName = keyof typeof GUARD_RAILS;
type KindOf<Name extends GuardRailName> = (typeof GUARD_RAILS)[Name];
type AmountName = { [Name in GuardRailName]: KindOf<Name> extends "amount" ? Name : never }[GuardRailName];
type ColumnOf<Name extends GuardRailName> = Name extends AmountName ? `${Name}_micros` : Name;

/** A customer's own limits by column. */
export type GuardRails = { [Name in GuardRailName as ColumnOf<Name>]: RailValues[KindOf<Name>] };
/** Something for each limit, by its name, that depends on its kind. */
export type PerGuardRail<Kinds extends Record<keyof RailValues, unknown>> = { [Name in GuardRailName]: Kinds[KindOf<Name>] };

const names = Object.keys(GUARD_RAILS) as GuardRailName[];
export const guardRailColumns = names.map((name) => columnOf(name));
export const NO_GUARD_RAILS = guardRailsBy(() => null);

export function isAmountRail(name: GuardRailName): name is AmountName {
  return GUARD_RAILS[name] === "amount";
}

export function columnOf<Name extends GuardRailName>(name: Name): ColumnOf<Name> {
  return (isAmountRail(name) ? `${name}_micros` : name) as ColumnOf<Name>;
}

export function guardRailsBy(valueOf: (name: GuardRailName) => GuardRails[keyof GuardRails]): GuardRails {
  return Object.fromEntries(names.map((name) => [columnOf(name), valueOf(name)])) as GuardRails;
}

export function perGuardRail<Kinds extends Record<keyof RailValues, unknown>>(
  make: (name: GuardRailName) => Kinds[keyof RailValues],
): PerGuardRail<Kinds> {
  return Object.fromEntries(names.map((name) => [name, make(name)])) as PerGuardRail<Kinds>;
}

/** Whether a change allows more or longer calls, or more countries. */
export function isLooser(before: GuardRails, after: GuardRails): boolean {
  return names.some((name) => {
    if (!isAmountRail(name)) return allowsMore(before[name], after[name], (was, is) => is.some((code) => !was.includes(code)));
    const column = columnOf(name);
    return allowsMore(before[column], after[column], (was, is) => is > was);
  });
}

function allowsMore<Value>(was: Value | null, is: Value | null, exceeds: (was: Value, is: Value) => boolean): boolean {
  return was !== null && (is === null || exceeds(was, is));
}
