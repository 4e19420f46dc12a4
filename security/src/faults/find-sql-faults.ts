import type { Fault } from "./find-faults.ts";

/** Where a condition starts; excludes `end if` and `if exists`. */
const HEAD = /\bwhere\b|\breturn\s*\(|\belsif\b|(?<!end )\bif\b(?!\s+(?:not\s+)?exists)/gi;
/** Where a condition ends, unless a bracket closes, or the statement or the function ends first. */
const END = /^(?:then|group|order|for|returning|limit|offset|union|on|loop)\b/i;
const FLIPS: Readonly<Record<string, string>> = { "<": "<=", "<=": "<", ">": ">=", ">=": ">" };

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Every guard in a file with an SQL function: exits disabled, parts of conditions dropped, comparisons inverted. */
export function findSqlFaults(source: string): Fault[] {
  // Blanks out comments and strings, which contain no conditions, without moving anything.
  const code = source.replaceAll(/--[^\n]*|'[^']*'/g, (text) => " ".repeat(text.length));
  const faults: (Fault & Span)[] = [];
  const plant = (span: Span, replacement: string, what: string) => {
    const line = source.slice(0, span.from).split("\n").length;
    const text = source.slice(span.from, span.to).replaceAll(/\s+/g, " ");
    const faulty = source.slice(0, span.from) + replacement + source.slice(span.to);
    faults.push({ ...span, line, what: `${what}: ${text.slice(0, 100)}`, source: faulty });
  };
  for (const head of code.matchAll(HEAD)) {
    const condition = conditionAfter(code, head.index + head[0].length);
    if (head[0].toLowerCase().endsWith("if") && leaves(code, condition.to)) plant(condition, " false ", "guard deleted");
    const parts = partsOf(code, condition);
    if (parts.length > 1 || /^(?:where|return)/i.test(head[0]))
      for (const part of parts) plant(part, part.isOfAnd ? " true " : " false ", "condition dropped");
  }
  for (const { 0: operator, index } of code.matchAll(/(?<![-<>=:!])(?:<=|>=|<|>)(?![=>])/g))
    plant({ from: index, to: index + operator.length }, FLIPS[operator] ?? operator, `became ${FLIPS[operator]}`);
  return faults.toSorted((one, other) => one.from - other.from);
}

function conditionAfter(code: string, from: number): Span {
  let depth = 0;
  for (let at = from; at < code.length; at++) {
    const char = code[at] ?? "";
    if (char === "(") depth += 1;
    if (char === ")") depth -= 1;
    const closes = char === ";" || code.startsWith("$$", at);
    const ends = depth < 0 || closes || (depth === 0 && /\W/.test(code[at - 1] ?? "") && END.test(code.slice(at, at + 10)));
    if (ends) return { from, to: at };
  }
  return { from, to: code.length };
}

/** The operands of a condition's top-level `and` and `or`; brackets stay together. */
function partsOf(code: string, { from, to }: Span): (Span & { readonly isOfAnd: boolean })[] {
  const words: { readonly word: string; readonly at: number }[] = [];
  let depth = 0;
  let isBetween = false;
  for (const { 0: word, index } of code.slice(from, to).matchAll(/[()]|\b(?:and|or|between)\b/gi)) {
    if (word === "(") depth += 1;
    else if (word === ")") depth -= 1;
    else if (depth > 0) continue;
    else if (word.toLowerCase() === "between") isBetween = true;
    else if (isBetween) isBetween = false;
    else words.push({ word: word.toLowerCase(), at: from + index });
  }
  return [...words, { word: "", at: to }].map(({ word, at }, index) => {
    const before = words[index - 1];
    const isOfAnd = word === "and" || before?.word === "and" || words.length === 0;
    return { from: before === undefined ? from : before.at + before.word.length, to: at, isOfAnd };
  });
}

/** Whether the branch after a condition leaves the function. */
function leaves(code: string, from: number): boolean {
  const branch = code.slice(from).split(/\b(?:elsif|else|end if)\b/i, 1)[0] ?? "";
  return /\braise exception\b|\breturn\b/i.test(branch);
}
