/** More forks than that are no carrier's. */
const MAX_FORKS = 20;

/** The early descriptions of one INVITE, which a carrier may fork to several phones (RFC 3261 §12.1.2). */
export class EarlyMedia {
  readonly #byTag = new Map<string, string>();
  #first: string | null = null;

  /** @returns the description to be used: the first fork's, because two that take turns would be no sound at all. */
  heard(tag: string, sdp: string | null): string | null {
    if (sdp === null) return null;
    this.#first ??= tag;
    if (this.#byTag.size < MAX_FORKS) this.#byTag.set(tag, sdp);
    return tag === this.#first ? sdp : null;
  }

  /** Of the fork that answered; some carriers change the tag with the answer and mean the first one's. */
  of(tag: string): string | null {
    return this.#byTag.get(tag) ?? this.#byTag.get(this.#first ?? "") ?? null;
  }
}
