/** No carrier forks more often. */
const MAX_FORKS = 20;

/** The early SDP of each fork of one INVITE (RFC 3261 §12.1.2). */
export class EarlyMedia {
  readonly #byTag = new Map<string, string>();
  #first: string | null = null;

  /** @returns the SDP to use: only the first fork's, because alternating between forks would break the audio. */
  add(tag: string, sdp: string | null): string | null {
    if (sdp === null) return null;
    this.#first ??= tag;
    if (this.#byTag.size < MAX_FORKS) this.#byTag.set(tag, sdp);
    return tag === this.#first ? sdp : null;
  }

  /** The SDP of the fork that answered. Some carriers change the tag in the answer and mean the first fork. */
  forAnswer(tag: string): string | null {
    return this.#byTag.get(tag) ?? this.#byTag.get(this.#first ?? "") ?? null;
  }
}
