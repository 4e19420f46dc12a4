import type { EndpointName, ParametersOf, QueryOf } from "@farline/contract/api/api.ts";

/** The variable parts of an endpoint's address. */
export type AddressParts<N extends EndpointName> = (keyof ParametersOf<N> extends never
  ? { readonly params?: undefined }
  : { readonly params: ParametersOf<N> }) &
  (undefined extends QueryOf<N> ? { readonly query?: undefined } : { readonly query?: QueryOf<N> });

/** An endpoint's path with its parameters and query; parts of the query that are undefined are left out. */
export function addressOf<N extends EndpointName>(name: N, parts: AddressParts<N>): string {
  const values: Readonly<Record<string, string>> = parts.params ?? {};
  const path = name.slice(name.indexOf(" ") + 1).replaceAll(/:(\w+)/g, (_, key: string) => encodeURIComponent(values[key] ?? ""));
  const given = Object.entries(parts.query ?? {}).filter(([, value]) => value !== undefined);
  return given.length === 0 ? path : `${path}?${new URLSearchParams(given.map(([key, value]) => [key, String(value)]))}`;
}
