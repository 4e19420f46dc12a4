import { currencyIn } from "./currencies.ts";
import { plainHeader, type IgnoredColumn } from "./deck-columns.ts";
import { readDate } from "./deck-dates.ts";

/** An ignored column that may affect what a call costs, when, or for whom. */
export interface DoubtfulColumn {
  readonly name: string;
  /** The first row with a value in it. */
  readonly line: number;
  readonly text: string;
}

const MONEY = [
  "fees? charges? surcharges? supplements? extras? rates? prices? costs? tariffs? amounts? tax taxes vat gst duty discounts? rebates?",
  "mark ?up margin deposit set ?up connect connection connected flag ?fall drop currency curr usd eur gbp unit units per ppm",
  "minimum minimal min maximum max free bundle volume commit commitment tier threshold",
  "preis preise gebuhr gebuhren kosten zuschlag frais prix cout precio tarifas? cargo costos? coste recargo prezzo costo tariffa scatto",
  "preco taxa custo prijs toeslag",
];
const TIME = [
  "peak off ?peak weekends? weekdays? week nights? evening days? daytime holidays? hours? times? zone duration secs? seconds? mins? minutes?",
  "intervals? increments? blocks? rounding round pulse periods? grace",
  "effective expir\\w* end ends ended until till to valid\\w* from start starts begin begins dates? old new previous prior current next",
  "future proposed pending announced",
  "gultig\\w* ab bis wochenende taktung? beginn ende debut fin duree jusqu\\w* heures? fecha inicio hasta desde duracion fino durata data",
];
const ORIGIN = [
  "orig\\w* ani cli clid caller callers calling source src a ?number a ?party jurisdiction inter intra ij interstate intrastate lata eea",
].concat(["herkunft origine origen"]);
const DOUBTFUL = new RegExp(`\\b(?:${[...MONEY, ...TIME, ...ORIGIN].join(" ").replaceAll(" ", "|").replaceAll("|?", " ?")})\\b`);
/** "Rate Id", "Tariff Plan": identifies a price but is none. */
const LABEL = /\b(?:ids?|ref|reference|key|plan|card|sheet|names?|version)$/;
const DECIMAL = /^\W{0,3}\d*[.,]\d+\W{0,3}$/;
const ZERO = /^\W?0*(?:[.,]0*)?$/;
/** Columns in which zero means none. */
const EXTRA =
  /\b(?:fees?|charges?|surcharges?|supplements?|set ?up|connect\w*|minimum|min|tax|vat|gst|duty|discounts?|grace|free)\b/;

/** Collects ignored columns with relevant values. */
export class IgnoredColumns {
  readonly #columns: readonly (IgnoredColumn & { readonly header: string })[];
  readonly #doubtful = new Map<string, DoubtfulColumn>();

  constructor(columns: readonly IgnoredColumn[]) {
    this.#columns = columns.map((column) => ({ ...column, header: plainHeader(column.name) }));
  }

  /** Checks the ignored cells of a data row. */
  check(cells: readonly string[], line: number): void {
    for (const { place, name, header, isRequested } of this.#columns) {
      if (isRequested || this.#doubtful.has(name)) continue;
      const text = (cells[place] ?? "").trim();
      if (text !== "" && isDoubtful(header, text)) this.#doubtful.set(name, { name, line, text: text.slice(0, 40) });
    }
  }

  names(): string[] {
    return this.#columns.map(({ name }) => name);
  }

  doubtful(): DoubtfulColumn[] {
    return [...this.#doubtful.values()];
  }
}

function isDoubtful(header: string, text: string): boolean {
  if (EXTRA.test(header) && ZERO.test(text)) return false;
  if (DOUBTFUL.test(header) && !LABEL.test(header)) return true;
  if (DECIMAL.test(text) || currencyIn(text) === "other") return true;
  const date = /\d/.test(text) ? readDate(text, "dmy") : "date_form";
  return date instanceof Date;
}
