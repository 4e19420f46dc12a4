import { appendFileSync } from "node:fs";
import type { DeclaredRoute } from "@farline/contract/api/route-access.ts";
import type { Installation } from "./product.ts";

export type Part = "service" | "exchange for browsers" | "exchange for the service" | "sandbox";

/** One route of a running program. */
export interface InventoryRoute extends DeclaredRoute {
  readonly part: Part;
  readonly port: number;
}

/** Counts attempts for one test file. The file must end with `expect(attempts.succeeded).toEqual([])`. */
export class Attempts {
  readonly succeeded: string[] = [];
  tried = 0;

  /** Records one attempt. @param kind its row in the result table @param what precise enough to repeat it */
  check(kind: string, what: string, refused: boolean): void {
    this.tried += 1;
    if (!refused) this.succeeded.push(`${kind}: ${what}`);
    // Another process builds the table of `npm run test:security`.
    const file = process.env["SECURITY_ATTEMPTS"];
    if (file) appendFileSync(file, `${JSON.stringify({ kind, outcome: refused ? "refused" : "succeeded" })}\n`);
  }
}

/** `npm run test:security` runs at full size; `npm test` at the quick size. */
export const FULL_SIZE = process.env["SECURITY_SIZE"] === "full";

/** Every route of the installation, as the routers list them. */
export function inventory({ service, exchange, sandbox, addresses }: Installation): InventoryRoute[] {
  const of = (part: Part, port: number, routes: readonly DeclaredRoute[]) => routes.map((route) => ({ ...route, part, port }));
  return [
    ...of("service", addresses.port, service.routes),
    ...of("exchange for browsers", exchange.port, exchange.routes.browsers),
    ...of("exchange for the service", exchange.controlPort, exchange.routes.control),
    ...of("sandbox", sandbox.port, sandbox.routes),
  ];
}

/** A path that matches this route's pattern, with one value for each parameter. */
export function pathOf(pattern: string, value = "01890000-0000-7000-8000-000000000000"): string {
  return pattern.replaceAll(/:[a-z]+/gi, value).replaceAll("*", "anything");
}
