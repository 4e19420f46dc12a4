/** Reads the islands' data from the document, written by `island.tsx` and `document.tsx`. */

/** The props that an island was rendered with. */
export function carriedProps<Props>(name: string): Props {
  return read(`[data-props="${name}"]`);
}

/** Texts in the document's language, by language, namespace and key. */
export function carriedTexts<Texts>(): Texts {
  return read("[data-texts]");
}

function read<Value>(selector: string): Value {
  return JSON.parse(document.querySelector(selector)?.textContent ?? "{}") as Value;
}
