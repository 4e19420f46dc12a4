import * as fc from "fast-check";
import { hostileText } from "./hostile-tokens.ts";

interface Change {
  readonly kind: number;
  /** Positions, modulo the available ones. */
  readonly at: number;
  readonly beside: number;
  readonly text: string;
}

const change: fc.Arbitrary<Change> = fc.record({
  kind: fc.nat(9),
  at: fc.nat(),
  beside: fc.nat(),
  text: hostileText,
});

/** Splits a line into fields and separators. Addresses stay whole, so that no change creates another machine's address. */
const FIELDS = /([;:,=<>@"\s/]+)/;
const MAX_CHARACTERS = 60_000;

/** Applies up to five changes of lines, fields, order and length to valid messages (SIP, SDP). */
export function mutatedLines(corpus: readonly string[]): fc.Arbitrary<string> {
  return fc
    .record({
      base: fc.constantFrom(...corpus),
      other: fc.constantFrom(...corpus),
      changes: fc.array(change, { maxLength: 5 }),
    })
    .map(({ base, other, changes }) =>
      changes.reduce((text, each) => applyChange(text, each, other), base).slice(0, MAX_CHARACTERS),
    );
}

function applyChange(whole: string, { kind, at, beside, text }: Change, other: string): string {
  const lines = whole.split("\r\n");
  const [from, to] = [at % lines.length, beside % lines.length];
  const line = lines[from] ?? "";
  switch (kind) {
    case 0:
      return lines.with(from, `${line.split(":")[0]}: ${text}`).join("\r\n");
    case 1:
    case 2:
      return lines.with(from, replaceField(line, beside, text)).join("\r\n");
    case 3:
      return lines.toSpliced(to, 0, line).join("\r\n");
    case 4:
      return lines.toSpliced(from, 1).join("\r\n");
    case 5:
      return lines
        .with(from, lines[to] ?? "")
        .with(to, line)
        .join("\r\n");
    case 6: {
      const theirs = other.split("\r\n");
      return lines.toSpliced(from, 0, theirs[beside % theirs.length] ?? "").join("\r\n");
    }
    case 7:
      return lines
        .with(
          from,
          line
            .split(FIELDS)
            .toSpliced(beside % 9, 0, text)
            .join(""),
        )
        .join("\r\n");
    case 8:
      return lines.slice(0, from + 1).join("\r\n");
    default:
      return lines.toSpliced(to, 0, text).join("\r\n");
  }
}

function replaceField(line: string, which: number, text: string): string {
  const parts = line.split(FIELDS);
  return parts.with(which % parts.length, text).join("");
}
