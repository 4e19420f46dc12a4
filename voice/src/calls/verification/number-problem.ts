export type NumberProblemCode = "not_possible" | "bad_number" | "busy" | "too_many" | "no_check" | "wrong_code";

/** A refused verification. */
export class NumberProblem extends Error {
  readonly code: NumberProblemCode;

  constructor(code: NumberProblemCode, message: string) {
    super(message);
    this.code = code;
  }
}
