/** An operator's order about a deck. */
export interface DeckOrder {
  readonly reason: string;
}
