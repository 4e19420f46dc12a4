import { formatDollars } from "@farline/domain/money.ts";

const MICROS = "_micros";

/** The details of an operation or a proposal, each as a short text. Amounts in micro-dollars become dollars; keys and what does not apply are left out. */
export function detailText(detail: Readonly<Record<string, unknown>>): string[] {
  return Object.entries(detail)
    .filter(([name, value]) => name !== "key" && value !== null && value !== "" && value !== false)
    .map(([name, value]) =>
      name.endsWith(MICROS)
        ? `${spaced(name.slice(0, -MICROS.length))} $${formatDollars(BigInt(String(value)))}`
        : `${spaced(name)} ${String(value)}`,
    );
}

function spaced(name: string): string {
  return name.replaceAll("_", " ");
}
