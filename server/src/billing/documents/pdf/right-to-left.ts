import type { TextRun } from "./pdf-fonts.ts";

/** Direction of a run; `neutral`: punctuation only, which follows the line. */
export type Reads = "ltr" | "rtl" | "neutral";

const RIGHT_TO_LEFT = /[\p{Script=Arabic}\p{Script=Hebrew}]/u;
const WORD = /[\p{L}\p{N}]/u;
const EDGES = /^(\s*)(.*?)(\s*)$/su;
/** Brackets are encoded by role and mirrored when drawn (Unicode Bidi_Mirrored). */
const MIRRORED: Readonly<Record<string, string>> = { "(": ")", ")": "(", "[": "]", "]": "[", "«": "»", "»": "«" };

export function directionOf({ text }: Pick<TextRun, "text">): Reads {
  if (RIGHT_TO_LEFT.test(text)) return "rtl";
  return WORD.test(text) ? "ltr" : "neutral";
}

/**
 * Splits a right-to-left line into runs, still in logical order. Space around a left-to-right word belongs to the line, and
 * brackets are mirrored. The subset of the Unicode bidirectional algorithm (UAX 9) that our documents need: lines with names,
 * numbers and amounts.
 */
export function rightToLeftRuns(runs: readonly TextRun[]): TextRun[] {
  return runs.flatMap((run, index) => {
    const reads = directionOf(run);
    if (reads === "rtl") return [run];
    if (reads === "neutral")
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

/** The runs in visual order, left to right: the last one read comes first; words of the other direction keep their order. */
export function visualOrder<Run extends { readonly reads: Reads }>(runs: readonly Run[]): Run[] {
  const groups: Run[][] = [];
  for (const run of runs) {
    const last = groups.at(-1);
    if (run.reads === "ltr" && last?.[0]?.reads === "ltr") last.push(run);
    else groups.push([run]);
  }
  return groups.toReversed().flat();
}
