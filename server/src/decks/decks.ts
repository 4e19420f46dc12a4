export { ACTIVATE_DECK, activateDeck, cancelDeck, rollBackDeck, type Activated } from "./activate-deck.ts";
export type { DeckComparison, MinutePrice, PriceChange } from "./compare-decks.ts";
export type { CountryTraffic } from "./rate-traffic.ts";
export { readActivations, readDecks } from "./decks.store.ts";
export type { DateOrder } from "./file/deck-dates.ts";
export { readIncrements, type Increments } from "./file/deck-values.ts";
export type { OtherCountry } from "./build-deck.ts";
export { importDeck, type DeckReport, type ImportOrder } from "./import-deck.ts";
export type { RowProblem } from "./file/read-deck-row.ts";
