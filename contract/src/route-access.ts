/**
 * Who may call a route. Each route of the service, the exchange and the sandbox declares one of these in its Fastify
 * `config.access`; a route without a declaration stops the start.
 *
 * - `visitor`: anybody, signed in or not
 * - `customer`: a signed-in customer (bearer token)
 * - `step-up`: a signed-in customer who proved recently that it is them
 * - `operator`: the people who run the service (a token of their own)
 * - `provider`: a signed message of a payment or voice provider
 * - `exchange-key`: the service, with the exchange's API key
 * - `development`: a stand-in, never part of a production installation
 */
export const ROUTE_ACCESS = ["visitor", "customer", "step-up", "operator", "provider", "exchange-key", "development"] as const;

export type RouteAccess = (typeof ROUTE_ACCESS)[number];

/** Whether a route's declared access is one of the known ones. */
export function isRouteAccess(value: unknown): value is RouteAccess {
  return (ROUTE_ACCESS as readonly unknown[]).includes(value);
}
