import type { DeclaredRoute } from "@farline/contract/api/route-access.ts";
import type { Installation } from "./product.ts";

export type Part = "service" | "exchange for browsers" | "exchange for the service" | "sandbox";

/** One route of a running program. */
export interface InventoryRoute extends DeclaredRoute {
  readonly part: Part;
  readonly port: number;
}

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
