const MARKS = /\p{M}+/gu;
const APOSTROPHES = /['’]/g;
const OTHERS = /[^a-z0-9]+/g;

/** A country's English name for a URL: "Côte d’Ivoire" becomes "cote-divoire". */
export function countrySlug(name: string): string {
  const plain = name.normalize("NFD").replace(MARKS, "").toLowerCase();
  return plain.replace(APOSTROPHES, "").replace(OTHERS, "-").replace(/^-|-$/g, "");
}
