/** The caller id where none is set: a number reserved for fiction. */
export const DEFAULT_CALLER_NUMBER = "+12025550143";
