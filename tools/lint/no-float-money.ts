import { argumentsOf, calledName, rule, type Node } from "./syntax.ts";

const FLOATS = new Set(["Number", "parseFloat", "parseInt"]);
/** Names of amounts in this code base, as opposed to counts, seconds and percentages. */
const MONEY = /(?:micros|cents|dollars|amount|balance|credit|price)\b/i;
/** A bigint division of money yields a count: of seconds, of minutes, of cents. */
const COUNT = / \/ [\w.]+$/;
const MESSAGE = "Converts money to floating point. Keep bigint micro-dollars; domain/src/money.ts parses and formats them.";

export const noFloatMoney = rule("Money is never floating point.", ({ report, sourceCode }) => {
  const isMoney = (node: Node | undefined) => {
    if (node === undefined) return false;
    const text = sourceCode.getText(node);
    return MONEY.test(text) && !COUNT.test(text);
  };
  return {
    CallExpression(node) {
      if (FLOATS.has(calledName(node)) && isMoney(argumentsOf(node)[0])) report({ node, message: MESSAGE });
    },
    UnaryExpression(node) {
      if (node["operator"] === "+" && isMoney(node["argument"] as Node)) report({ node, message: MESSAGE });
    },
  };
});
