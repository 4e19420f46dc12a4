import { isOperatorRight, type OperatorRight } from "../operator/rights.ts";

/**
 * Who may call a route. Each route of the service, the exchange and the sandbox declares one of these in its Fastify
 * `config.access`; the service does not start while a route lacks one.
 *
 * - `visitor`: everyone, signed in or not
 * - `customer`: a signed-in customer (bearer token)
 * - `step-up`: a signed-in customer who recently proved their identity again
 * - `step-up-when`: a signed-in customer; sensitive requests also need what `step-up` needs
 * - `operator`: an operator who has signed in at the console (cookie) or on a command line (bearer token), whose role has the route's right
 * - `monitor`: the operators' monitoring (a token of its own)
 * - `provider`: a signed message from a payment or voice provider
 * - `exchange-key`: the service, with the exchange's API key
 * - `development`: sandbox only, never in production
 */
const ROUTE_ACCESS = [
  "visitor",
  "customer",
  "step-up",
  "step-up-when",
  "operator",
  "monitor",
  "provider",
  "exchange-key",
  "development",
] as const;

export type RouteAccess = (typeof ROUTE_ACCESS)[number];

/** Whether a route's declared access is one of the known ones. */
function isRouteAccess(value: unknown): value is RouteAccess {
  return (ROUTE_ACCESS as readonly unknown[]).includes(value);
}

/** A registered route. */
export interface DeclaredRoute {
  readonly method: string;
  /** The router's pattern, such as `/api/calls/:id`. */
  readonly url: string;
  readonly access: RouteAccess;
  /** Of an operator's route: what the role must allow. */
  readonly right?: OperatorRight;
  /** The schemas of its requests, as declared. */
  readonly schema: RequestSchemas;
}

/** Schemas of a request's parts. */
interface RequestSchemas {
  readonly body?: unknown;
  readonly querystring?: unknown;
  readonly params?: unknown;
}

/**
 * Reads what a Fastify route declares, one entry per method. For an `onRoute` hook.
 * @throws Error if the route does not declare who may call it, or an operator's route no right
 */
export function declaredRoutes(route: {
  readonly method: string | readonly string[];
  readonly url: string;
  readonly config?: object | undefined;
  readonly schema?: RequestSchemas | undefined;
}): DeclaredRoute[] {
  const { method, url, schema = {} } = route;
  const access: unknown = Reflect.get(route.config ?? {}, "access");
  if (!isRouteAccess(access)) throw new Error(`${String(method)} ${url} does not declare who may call it (config.access).`);
  const right: unknown = Reflect.get(route.config ?? {}, "right");
  if ((access === "operator") !== isOperatorRight(right))
    throw new Error(`${String(method)} ${url}: routes for operators, and only they, declare a right (config.right).`);
  const rights = isOperatorRight(right) ? { right } : {};
  return [method].flat().map((one) => ({ method: String(one), url, access, schema, ...rights }));
}
