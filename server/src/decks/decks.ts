export { ACTIVATE_DECK, activateDeck, cancelDeck, rollBackDeck, type Activated } from "./activate-deck.ts";
export { deckRoutes } from "./deck-routes.ts";
export { explainNumber } from "./explain/explain-number.ts";
export { presentHistory, priceRoutes } from "./price-routes.ts";
export type { DateOrder } from "./file/deck-dates.ts";
export { readIncrements, type Increments } from "./file/deck-values.ts";
export { columnMap, importDeck, type DeckReport, type ImportOrder } from "./import-deck.ts";
export { listDecks } from "./list-decks.ts";
export { presentReport } from "./report/present-report.ts";
