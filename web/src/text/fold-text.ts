/** Removes case and accents for searches, so that "cote" finds "Côte d’Ivoire". */
export function foldText(text: string): string {
  return text
    .normalize("NFD")
    .replace(/\p{M}+/gu, "")
    .toLowerCase()
    .trim();
}
