import * as accounts from "@farline/contract/accounts.ts";
import { apiResponses, pageResponse, rawBodies } from "@farline/contract/api-responses.ts";
import * as accountAccess from "@farline/contract/account-access.ts";
import * as accountActivity from "@farline/contract/account-activity.ts";
import * as autoTopUp from "@farline/contract/auto-top-up.ts";
import * as billing from "@farline/contract/billing.ts";
import * as billingDocuments from "@farline/contract/billing-documents.ts";
import * as callDetails from "@farline/contract/call-details.ts";
import * as callHistory from "@farline/contract/call-history.ts";
import * as calls from "@farline/contract/calls.ts";
import * as contacts from "@farline/contract/contacts.ts";
import * as erasure from "@farline/contract/personal-data/erasure.ts";
import * as errors from "@farline/contract/errors.ts";
import * as events from "@farline/contract/events.ts";
import * as languages from "@farline/contract/languages.ts";
import * as newsletter from "@farline/contract/newsletter.ts";
import * as dataExport from "@farline/contract/personal-data/export.ts";
import * as promotions from "@farline/contract/promotions.ts";
import * as rates from "@farline/contract/rates.ts";
import * as robotCheck from "@farline/contract/robot-check.ts";
import * as secondFactor from "@farline/contract/second-factor.ts";
import * as values from "@farline/contract/values.ts";
import { errorBody } from "@farline/contract/errors.ts";
import type { DeclaredRoute, RouteAccess } from "@farline/contract/route-access.ts";
import { z } from "zod";

type Json = Record<string, unknown>;
type Method = "get" | "post" | "put" | "patch" | "delete";

const CONTRACT = [
  accounts,
  errors,
  accountAccess,
  accountActivity,
  autoTopUp,
  billing,
  billingDocuments,
  callDetails,
  callHistory,
  calls,
  contacts,
  events,
  languages,
  newsletter,
  dataExport,
  erasure,
  promotions,
  rates,
  robotCheck,
  secondFactor,
  values,
];
const METHODS: ReadonlySet<string> = new Set<Method>(["get", "post", "put", "patch", "delete"]);
/** These answer any address below with `not_found` and are not operations. */
const CATCH_ALLS: ReadonlySet<string> = new Set(["/api", "/api/*"]);
const SECURITY: Readonly<Record<RouteAccess, readonly Json[]>> = {
  visitor: [],
  customer: [{ session: [] }],
  "step-up": [{ session: [] }],
  "step-up-when": [{ session: [] }],
  operator: [{ operator: [] }],
  provider: [],
  "exchange-key": [],
  development: [],
};

/** Whether a route is an operation: HEAD is implied by GET, and catch-alls only refuse. */
export function isOperation({ method, url }: Pick<DeclaredRoute, "method" | "url">): boolean {
  return METHODS.has(method.toLowerCase()) && !CATCH_ALLS.has(url);
}

/** Converts a router's pattern to an OpenAPI path. */
export function openApiPath(url: string): string {
  return url.replaceAll(/:(\w+)/g, "{$1}").replace(/\*$/, "{path}");
}

/**
 * The OpenAPI document of these routes, with the schemas that they and the contract use.
 * @throws Error for a route below /api/ without a response in the contract
 */
export function describeApi(routes: readonly DeclaredRoute[]): Json {
  const paths: Record<string, Json> = {};
  const schemas: Json = {};
  const refusal = schemaOf(errorBody, "output", schemas);
  const operations = routes.filter(isOperation).toSorted((a, b) => (a.url < b.url ? -1 : a.url > b.url ? 1 : 0));
  for (const route of operations) (paths[openApiPath(route.url)] ??= {})[route.method.toLowerCase()] = describe(route, schemas);
  return {
    openapi: "3.1.1",
    info: {
      title: "Farline",
      version: "0.1.0",
      description: "Generated from the routes and schemas that the service runs. `x-access` says who may call an operation.",
    },
    servers: [{ url: "/" }],
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => (a < b ? -1 : 1))),
      responses: {
        Error: {
          description: "The request was refused; `code` says why.",
          content: { "application/json": { schema: refusal } },
        },
      },
      securitySchemes: {
        session: { type: "http", scheme: "bearer", description: "The token of `POST /api/login` or `POST /api/register`." },
        operator: { type: "http", scheme: "bearer", description: "`METRICS_TOKEN`." },
      },
    },
  };
}

function describe(route: DeclaredRoute, schemas: Json): Json {
  const { method, url, access, schema } = route;
  const key = `${method} ${url}`;
  const response = apiResponses[key] ?? (url.startsWith("/api/") ? undefined : pageResponse(url));
  if (response === undefined) throw new Error(`contract/src/api-responses.ts does not say what ${key} answers.`);
  const { types = [], schema: answer = null } = response.content ?? {};
  const content = Object.fromEntries(types.map((type) => [type, { schema: schemaOf(answer as z.ZodType, "output", schemas) }]));
  const raw = rawBodies[key];
  const parameters = [...pathParameters(url), ...parametersOf(schema.querystring, schemas), ...signatureOf(raw?.signature)];
  const body = bodyOf(schema.body, raw?.type, schemas);
  return {
    operationId: `${method.toLowerCase()}${url.replaceAll(/[^A-Za-z0-9]+(.)?/g, (_all, next: string = "") => next.toUpperCase())}`,
    "x-access": access,
    security: SECURITY[access],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === null ? {} : { requestBody: body }),
    responses: {
      [response.status]: {
        description: types.length > 0 ? "Done." : "Done; no content.",
        ...(types.length > 0 ? { content } : {}),
      },
      default: { $ref: "#/components/responses/Error" },
    },
  };
}

function pathParameters(url: string): Json[] {
  const names = [...openApiPath(url).matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
  return names.map((name) => ({ name, in: "path", required: true, schema: { type: "string" } }));
}

function parametersOf(schema: unknown, schemas: Json): Json[] {
  if (schema === undefined) return [];
  // The object itself is inlined; its fields may be references.
  if (!(schema instanceof z.ZodObject)) throw new Error("A query's schema must be an object.");
  const shape: Record<string, z.ZodType> = schema.shape;
  return Object.entries(shape).map(([name, field]) => ({
    name,
    in: "query",
    required: !field.safeParse(undefined).success,
    schema: schemaOf(field, "input", schemas),
  }));
}

function signatureOf(name: string | undefined): Json[] {
  return name === undefined ? [] : [{ name, in: "header", required: true, schema: { type: "string" } }];
}

function bodyOf(schema: unknown, rawType: string | undefined, schemas: Json): Json | null {
  if (rawType !== undefined) return { required: true, content: { [rawType]: { schema: { type: "object" } } } };
  if (schema === undefined) return null;
  const zod = schema as z.ZodType;
  return {
    required: !zod.safeParse(undefined).success,
    content: { "application/json": { schema: schemaOf(zod, "input", schemas) } },
  };
}

/** Registers schemas under their names in the contract, so that the document has each once. */
const named = { input: registryOf("Input"), output: registryOf("") };

function registryOf(suffix: string) {
  const registry = z.registry<{ id: string }>();
  for (const contract of CONTRACT)
    for (const [name, value] of Object.entries(contract))
      if (value instanceof z.ZodType && !registry.has(value))
        registry.add(value, { id: `${name.charAt(0).toUpperCase()}${name.slice(1)}${suffix}` });
  return registry;
}

/** A schema as a reference to its component, or inline if the contract does not name it. */
function schemaOf(schema: z.ZodType, io: "input" | "output", components: Json): Json {
  const wrapped = z.toJSONSchema(z.object({ it: schema }), { io, unrepresentable: "any", metadata: named[io] });
  const text = JSON.stringify(wrapped).replaceAll("#/$defs/", "#/components/schemas/");
  const { $defs = {}, properties } = JSON.parse(text) as { $defs?: Record<string, Json>; properties: { it: Json } };
  for (const [name, { id: _id, ...one }] of Object.entries($defs)) components[name] = one;
  return properties.it;
}
