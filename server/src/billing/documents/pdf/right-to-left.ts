import type { TextRun } from "./pdf-fonts.ts";

/** Direction of a run. `neutral` is punctuation, which follows the line's direction. */
export type Direction = "ltr" | "rtl" | "neutral";

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;
const WORD = /[\p{L}\p{N}]/u;
const EDGES = /^(\s*)(.*?)(\s*)$/su;
/** Brackets are encoded by role and mirrored for display (Unicode Bidi_Mirrored). */
const MIRRORED: Readonly<Record<string, string>> = { "(": ")", ")": "(", "[": "]", "]": "[", "«": "»", "»": "«" };

export function directionOf({ text }: Pick<TextRun, "text">): Direction {
  if (RIGHT_TO_LEFT.test(text)) return "rtl";
  return WORD.test(text) ? "ltr" : "neutral";
}

/**
 * Splits a right-to-left line into runs in logical order. Space around a left-to-right word belongs to the line, and brackets are
 * mirrored. Implements the subset of the Unicode bidirectional algorithm (UAX 9) for lines with names, numbers and amounts.
 */
export function rightToLeftRuns(runs: readonly TextRun[]): TextRun[] {
  return runs.flatMap((run, index) => {
    const direction = directionOf(run);
    if (direction === "rtl") return [run];
    if (direction === "neutral")
      return [
        {
          ...run,
          text: Array.from(run.text, (sign) => MIRRORED[sign] ?? sign)
            .toReversed()
            .join(""),
        },
      ];
    const [, before = "", words = "", after = ""] = EDGES.exec(run.text) ?? [];
    const next = runs[index + 1];
    const goesOn = next !== undefined && directionOf(next) === "ltr";
    const pieces = goesOn ? [before, words + after] : [before, words, after];
    return pieces.filter((text) => text !== "").map((text) => ({ ...run, text }));
  });
}

/** The runs in visual order, left to right: reversed, except that consecutive left-to-right runs keep their order. */
export function visualOrder<Run extends { readonly direction: Direction }>(runs: readonly Run[]): Run[] {
  const groups: Run[][] = [];
  for (const run of runs) {
    const last = groups.at(-1);
    if (run.direction === "ltr" && last?.[0]?.direction === "ltr") last.push(run);
    else groups.push([run]);
  }
  return groups.toReversed().flat();
}
