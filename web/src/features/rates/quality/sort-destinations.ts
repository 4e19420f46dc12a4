import type { QualitySort } from "@farline/contract/public-pages.ts";
import type { DestinationQuality } from "@farline/contract/quality.ts";

/** A country of the page, with its figures if they may be published. */
export interface Destination {
  readonly code: string;
  /** In the page's language. */
  readonly name: string;
  /** The path of its page; null if its calls are not sold. */
  readonly path: string | null;
  readonly quality: DestinationQuality | null;
}

/** What a list is sorted by, the best first: higher comes first. */
const MERITS: Readonly<Record<Exclude<QualitySort, "country">, (quality: DestinationQuality) => number | null>> = {
  answered: ({ answered_percent: percent }) => percent,
  delay: ({ delay_median_seconds: seconds }) => (seconds === null ? null : -seconds),
  sound: ({ mos_median: mos }) => mos,
};

/** By name, or the best first; countries without the figure come last. */
export function sortDestinations(destinations: readonly Destination[], sort: QualitySort, language: string): Destination[] {
  const { compare } = new Intl.Collator(language);
  const byName = destinations.toSorted((a, b) => compare(a.name, b.name));
  if (sort === "country") return byName;
  const meritOf = ({ quality }: Destination): number =>
    (quality === null ? null : MERITS[sort](quality)) ?? Number.NEGATIVE_INFINITY;
  return byName.toSorted((a, b) => {
    const [one, other] = [meritOf(a), meritOf(b)];
    return one === other ? 0 : other - one;
  });
}
