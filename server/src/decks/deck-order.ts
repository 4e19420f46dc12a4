/** An operator's command for a deck. */
export interface DeckOrder {
  readonly reason: string;
}
