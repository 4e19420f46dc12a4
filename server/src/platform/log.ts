import pino, { type Logger } from "pino";

/** One JSON line per event on standard output. Phone numbers go through `maskNumber`; never tokens, SDP or card data. */
export function createLog(level: string, service: string): Logger {
  return pino({ level, base: { service }, timestamp: pino.stdTimeFunctions.isoTime });
}

/** "+447400123456" becomes "+44******456": enough to tell calls apart, too little to ring somebody. */
export function maskNumber(number: string): string {
  return number.length < 8 ? "***" : `${number.slice(0, 3)}******${number.slice(-3)}`;
}
