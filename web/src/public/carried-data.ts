/** What the document carries for its living parts, as `island.tsx` and `document.tsx` write it. */

/** The values that a living part was made from. */
export function carriedProps<Props>(name: string): Props {
  return read(`[data-props="${name}"]`);
}

/** Texts in the document's language: by language, namespace and key. */
export function carriedTexts<Texts>(): Texts {
  return read("[data-texts]");
}

function read<Value>(selector: string): Value {
  return JSON.parse(document.querySelector(selector)?.textContent ?? "{}") as Value;
}
