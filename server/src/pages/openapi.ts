import { glob } from "node:fs/promises";
import { dirname } from "node:path";
import { fileURLToPath } from "node:url";
import { api } from "@farline/contract/api/api.ts";
import { refusalsOf, statusOf, type Endpoint } from "@farline/contract/api/endpoint.ts";
import { errorStatus } from "@farline/contract/api/error-codes.ts";
import type { RouteAccess } from "@farline/contract/api/route-access.ts";
import { errorBody } from "@farline/contract/errors.ts";
import { z } from "zod";

type Json = Record<string, unknown>;

const CONTRACT = dirname(fileURLToPath(import.meta.resolve("@farline/contract/errors.ts")));
const SECURITY: Readonly<Record<RouteAccess, readonly Json[]>> = {
  visitor: [],
  customer: [{ session: [] }],
  "step-up": [{ session: [] }],
  "step-up-when": [{ session: [] }],
  operator: [{ operator: [] }],
  monitor: [{ monitor: [] }],
  provider: [],
  "exchange-key": [],
  development: [],
};

const named = { input: z.registry<{ id: string }>(), output: z.registry<{ id: string }>() };
let written: Promise<string> | null = null;

/** The OpenAPI 3.1 document of every endpoint, written from the contract when it is first asked for. */
export function openApiDocument(): Promise<string> {
  written ??= writeDocument();
  return written;
}

async function writeDocument(): Promise<string> {
  for await (const file of glob("**/*.ts", { cwd: CONTRACT, exclude: ["**/*.test.ts"] }))
    await nameSchemas(`${CONTRACT}/${file}`);
  return JSON.stringify(describeApi());
}

/** Registers a module's schemas under the names of their exports, so that the document has each once. */
async function nameSchemas(file: string): Promise<void> {
  const module = (await import(file)) as Json;
  for (const [name, value] of Object.entries(module)) {
    if (!(value instanceof z.ZodType)) continue;
    const id = `${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    if (!named.input.has(value)) named.input.add(value, { id: `${id}Input` });
    if (!named.output.has(value)) named.output.add(value, { id });
  }
}

function describeApi(): Json {
  const paths: Record<string, Json> = {};
  const schemas: Json = {};
  const endpoints: [string, Endpoint][] = Object.entries(api);
  for (const [name, endpoint] of endpoints.toSorted(([a], [b]) => compare(pathOf(a), pathOf(b)))) {
    const method = name.split(" ")[0] ?? "";
    (paths[pathOf(name)] ??= {})[method.toLowerCase()] = describe(name, endpoint, schemas);
  }
  const refusal = schemaOf(errorBody, "output", schemas);
  return {
    openapi: "3.1.1",
    info: {
      title: "Farline",
      version: "0.1.0",
      description: "Generated from the contract. `x-access` says who may call an operation.",
    },
    servers: [{ url: "/" }],
    paths,
    components: {
      schemas: Object.fromEntries(Object.entries(schemas).toSorted(([a], [b]) => compare(a, b))),
      responses: {
        Refusal: {
          description: "The request was refused; `code` says why.",
          content: { "application/json": { schema: refusal } },
        },
      },
      securitySchemes: {
        session: { type: "http", scheme: "bearer", description: "The token of `POST /api/login` or `POST /api/register`." },
        operator: { type: "apiKey", in: "cookie", name: "__Host-operator", description: "An operator's sign-in at the console." },
        monitor: { type: "http", scheme: "bearer", description: "`METRICS_TOKEN`." },
      },
    },
  };
}

function compare(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

/** The path of an endpoint's name as OpenAPI writes it. */
function pathOf(name: string): string {
  return (name.split(" ")[1] ?? "").replaceAll(/:(\w+)/g, "{$1}");
}

function describe(name: string, endpoint: Endpoint, schemas: Json): Json {
  const parameters = [
    ...[...name.matchAll(/:(\w+)/g)].map(([, id]) => ({ name: id, in: "path", required: true, schema: { type: "string" } })),
    ...queryParameters(endpoint, schemas),
    ...signatureHeader(endpoint),
  ];
  const body = describeBody(endpoint, schemas);
  const [method = "", path = ""] = name.split(" ");
  return {
    operationId: `${method.toLowerCase()}${path.replaceAll(/[^A-Za-z0-9]+(.)?/g, (_all, next: string = "") => next.toUpperCase())}`,
    "x-access": endpoint.access,
    ...(endpoint.right === undefined ? {} : { "x-right": endpoint.right }),
    security: SECURITY[endpoint.access],
    ...(parameters.length > 0 ? { parameters } : {}),
    ...(body === null ? {} : { requestBody: body }),
    responses: { [statusOf(endpoint)]: describeAnswer(endpoint, schemas), ...describeRefusals(endpoint) },
  };
}

function queryParameters({ query }: Endpoint, schemas: Json): Json[] {
  const shape: Record<string, z.ZodType> = query?.shape ?? {};
  return Object.entries(shape).map(([name, field]) => ({
    name,
    in: "query",
    required: !field.safeParse(undefined).success,
    schema: schemaOf(field, "input", schemas),
  }));
}

function signatureHeader({ raw }: Endpoint): Json[] {
  if (raw === undefined || !("signature" in raw)) return [];
  return [{ name: raw.signature, in: "header", required: true, schema: { type: "string" } }];
}

function describeBody({ body, raw }: Endpoint, schemas: Json): Json | null {
  if (raw !== undefined) return { required: true, content: { [raw.type]: { schema: { type: "object" } } } };
  if (body === undefined) return null;
  return {
    required: !body.safeParse(undefined).success,
    content: { "application/json": { schema: schemaOf(body, "input", schemas) } },
  };
}

function describeAnswer({ answer, file, events }: Endpoint, schemas: Json): Json {
  const content: [string, z.ZodType][] = (file ?? []).map((type) => [type, z.string()]);
  if (answer !== undefined) content.push(["application/json", answer]);
  if (events !== undefined) content.push(["text/event-stream", events]);
  if (content.length === 0) return { description: "Done; no content." };
  const described = content.map(([type, schema]) => [type, { schema: schemaOf(schema, "output", schemas) }]);
  return { description: "Done.", content: Object.fromEntries(described) };
}

/** Refusals by status, each with the codes that it may have. */
function describeRefusals(endpoint: Endpoint): Json {
  const codes = Object.groupBy([...refusalsOf(endpoint)].toSorted(), (code) => errorStatus[code]);
  return Object.fromEntries(
    Object.entries(codes).map(([status, some]) => [
      status,
      { $ref: "#/components/responses/Refusal", description: some.map((code) => `\`${code}\``).join(", ") },
    ]),
  );
}

/** A schema as a reference to its component, or inline if the contract does not name it. */
function schemaOf(schema: z.ZodType, io: "input" | "output", components: Json): Json {
  const wrapped = z.toJSONSchema(z.object({ it: schema }), { io, unrepresentable: "any", metadata: named[io] });
  const written = JSON.stringify(wrapped).replaceAll("#/$defs/", "#/components/schemas/");
  const { $defs = {}, properties } = JSON.parse(written) as { $defs?: Record<string, Json>; properties: { it: Json } };
  for (const [name, { id: _id, ...one }] of Object.entries($defs)) components[name] = one;
  return properties.it;
}
