/** Where a request comes from, as recorded. */
export interface RequestOrigin {
  /** From `deviceName`. */
  readonly device: string;
  /** From `shortNetwork`. */
  readonly network: string;
}
