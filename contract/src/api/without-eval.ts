import { config } from "zod";

/**
 * Keeps the schemas from compiling their parsers, which they try with `new Function`: the console's pages forbid it, and each try is a
 * violation that the browser reports. Call it before the first schema is made.
 */
export function forbidCompiledSchemas(): void {
  config({ jitless: true });
}
