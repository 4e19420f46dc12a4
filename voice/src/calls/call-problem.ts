/** A refused command, which changed nothing. */
export class CallProblem extends Error {
  readonly code: "unknown" | "ended" | "wrong_state" | "bad_destination" | "bad_caller" | "bad_digits" | "bad_limit" | "too_many";

  constructor(code: CallProblem["code"], message: string) {
    super(message);
    this.name = "CallProblem";
    this.code = code;
  }
}
