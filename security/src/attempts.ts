import { appendFileSync } from "node:fs";
import type { DeclaredRoute } from "@farline/contract/api/route-access.ts";
import type { Installation } from "./product.ts";

/** One attempt to do something forbidden. */
export interface Attempt {
  /** A row of the result table, for example "call without a ticket". */
  readonly kind: string;
  /** What was tried and how, precisely enough to reproduce it. */
  readonly what: string;
  readonly outcome: "refused" | "succeeded";
}

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

  record(attempt: Attempt): void {
    this.tried += 1;
    if (attempt.outcome === "succeeded") this.succeeded.push(`${attempt.kind}: ${attempt.what}`);
    // Another process builds the table of `npm run test:security`.
    const file = process.env["SECURITY_ATTEMPTS"];
    if (file) appendFileSync(file, `${JSON.stringify({ kind: attempt.kind, outcome: attempt.outcome })}\n`);
  }

  refused(kind: string, what: string): void {
    this.record({ kind, what, outcome: "refused" });
  }

  /** Records one attempt and whether it was refused. */
  check(kind: string, what: string, refused: boolean): void {
    this.record({ kind, what, outcome: refused ? "refused" : "succeeded" });
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
