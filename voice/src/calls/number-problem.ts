export type NumberProblemCode = "not_possible" | "bad_number" | "busy" | "too_many" | "no_check" | "wrong_code";

/** A number cannot be verified, or its code is not the right one. Nothing else has changed. */
export class NumberProblem extends Error {
  readonly code: NumberProblemCode;

  constructor(code: NumberProblemCode, message: string) {
    super(message);
    this.code = code;
  }
}
