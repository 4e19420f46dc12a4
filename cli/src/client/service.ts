import { createReadStream, chmodSync, mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { Readable } from "node:stream";
import { createGzip } from "node:zlib";
import {
  api,
  type AnswerOf,
  type BodyOf,
  type EndpointName,
  type ParametersOf,
  type QueryOf,
} from "@farline/contract/api/api.ts";
import type { Endpoint } from "@farline/contract/api/endpoint.ts";
import { errorBody, type ErrorBody } from "@farline/contract/errors.ts";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { chosenAddress, CommandError, WaitingError } from "../command.ts";

/** What the service or the payment provider computes, such as a reconciliation, takes minutes. */
const ANSWER_LIMIT_MS = 290_000;
/** The largest answer is a month's file. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;
const LOOPBACK = /^(localhost|[^.]+\.localhost|127\.\d+\.\d+\.\d+|\[::1\])$/;
const CERTIFICATE_CODES = /CERT|SELF_SIGNED|UNABLE_TO_(?:VERIFY|GET_ISSUER)/;

/** What a request carries, as its endpoint declares it. */
export interface Sent<N extends EndpointName> {
  readonly params?: ParametersOf<N>;
  readonly query?: QueryOf<N>;
  readonly body?: BodyOf<N>;
}

/**
 * Asks the service as the operator who is signed in there.
 * @throws CommandError; WaitingError for what a second operator must confirm
 */
export function ask<N extends EndpointName>(name: N, sent: Sent<N> = {}): Promise<AnswerOf<N>> {
  const url = serviceUrl();
  return askWith({ url, token: storedToken(url) }, name, sent);
}

/** The same with a token that is not stored, or without any. */
export async function askWith<N extends EndpointName>(
  { url, token }: { readonly url: string; readonly token: string | null },
  name: N,
  sent: Sent<N> = {},
): Promise<AnswerOf<N>> {
  return readAnswer(url, name, await send(url, name, { ...sent, token }));
}

/** Asks with a file as the body, compressed, which is never in memory as a whole. */
export async function upload<N extends EndpointName>(name: N, sent: Sent<N>, path: string): Promise<AnswerOf<N>> {
  const url = serviceUrl();
  return readAnswer(url, name, await send(url, name, { ...sent, token: storedToken(url), file: path }));
}

/** The same, for an endpoint that answers with a file. */
export async function uploadForFile<N extends EndpointName>(
  name: N,
  sent: Sent<N>,
  path: string,
): Promise<AsyncIterable<Uint8Array>> {
  const url = serviceUrl();
  const { body } = await send(url, name, { ...sent, token: storedToken(url), file: path });
  return body ?? Readable.from([]);
}

/**
 * The address of the service that the command uses: https, because everyone on the way to another machine could read the token.
 * @throws CommandError
 */
export function serviceUrl(): string {
  const address = chosenAddress();
  const url = URL.canParse(address) ? new URL(address) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.pathname !== "/" || url.search !== "" || url.username !== "")
    throw new CommandError(`${address} is no address of a service, which is like https://farline.example.`);
  if (url.protocol === "http:" && !LOOPBACK.test(url.hostname))
    throw new CommandError(
      `${address}: only https is used to another machine, because everyone on the way could read the sign-in.`,
    );
  return url.origin;
}

function storedToken(url: string): string {
  const token = tokenFile(url).read();
  if (token === null) throw new CommandError(`You are not signed in as an operator at ${url}. ${signInHint(url)}`);
  return token;
}

function signInHint(url: string): string {
  return `Run: npm run cli -- sign-in --at ${url}`;
}

interface Outgoing {
  readonly params?: Readonly<Record<string, string>>;
  readonly query?: unknown;
  readonly body?: unknown;
  readonly token: string | null;
  readonly file?: string | undefined;
}

/** @returns the response to a request that succeeded @throws CommandError */
async function send(url: string, name: EndpointName, { params = {}, query, body, token, file }: Outgoing): Promise<Response> {
  const [method = "", pattern = ""] = name.split(" ");
  const path = pattern.replaceAll(/:(\w+)/g, (_match, key: string) => encodeURIComponent(params[key] ?? ""));
  const given = Object.entries(query ?? {}).filter(([, value]) => value !== undefined);
  const search = new URLSearchParams(given.map(([key, value]): [string, string] => [key, String(value)]));
  const headers = {
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
    ...(body === undefined ? {} : { "content-type": "application/json" }),
    ...(file === undefined ? {} : { "content-type": "application/gzip" }),
  };
  const response = await fetch(`${url}${path}${given.length === 0 ? "" : `?${search.toString()}`}`, {
    method,
    headers,
    redirect: "manual",
    signal: AbortSignal.timeout(ANSWER_LIMIT_MS),
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(file === undefined ? {} : { body: compressed(file), duplex: "half" as const }),
  }).catch((error: unknown) => {
    throw unreachable(url, error);
  });
  if (response.status >= 300 && response.status < 400)
    throw new CommandError(`${url} redirects to ${response.headers.get("location") ?? "another address"}. Name that with --at.`);
  if (!response.ok) throw await refusalOf(url, response);
  return response;
}

/** A file as it is read: never the whole of it is in memory. */
function compressed(path: string): ReadableStream<Uint8Array> {
  const file = createReadStream(path);
  const gzip = createGzip();
  file.once("error", (error) => gzip.destroy(error));
  return Readable.toWeb(file.pipe(gzip)) as ReadableStream<Uint8Array>;
}

async function readAnswer<N extends EndpointName>(url: string, name: N, response: Response): Promise<AnswerOf<N>> {
  const { answer }: Endpoint = api[name];
  if (answer === undefined) return undefined as AnswerOf<N>;
  const read: unknown = await readJson(url, response);
  const { error } = answer.safeParse(read);
  if (error !== undefined)
    throw new CommandError(
      `${url} answers in a form that this command line does not know (${error.issues[0]?.path.join(".")}): use the command line of the release that runs there.`,
    );
  return read as AnswerOf<N>;
}

async function refusalOf(url: string, response: Response): Promise<CommandError> {
  const read = errorBody.safeParse(await readJson(url, response));
  if (!read.success) return isNoFarline(url);
  const { message, code, error, params = {} }: ErrorBody = read.data;
  const said = error === undefined ? message : `${message}: ${error}`;
  if (read.data.reason.startsWith("operator.second_operator")) return new WaitingError(said, String(params["proposal"]));
  const needsSignIn = code === "unauthenticated" || code === "reauth_required";
  return new CommandError(needsSignIn ? `${said} ${signInHint(url)}` : said, code);
}

/** @throws CommandError for an answer that is too large or no JSON */
async function readJson(url: string, { body }: Response): Promise<unknown> {
  const blocks: Uint8Array[] = [];
  let bytes = 0;
  try {
    for await (const block of body ?? []) {
      bytes += block.length;
      if (bytes > MAX_ANSWER_BYTES) throw new CommandError(`${url} answers with more than a command reads. Ask for less.`);
      blocks.push(block);
    }
  } catch (error) {
    throw error instanceof CommandError ? error : unreachable(url, error);
  }
  try {
    return JSON.parse(Buffer.concat(blocks).toString("utf8"));
  } catch {
    throw isNoFarline(url);
  }
}

function isNoFarline(url: string): CommandError {
  return new CommandError(`What answers at ${url} is not Farline. Is the address right?`);
}

/** Says in words why no answer came. */
function unreachable(url: string, error: unknown): CommandError {
  const { name, cause, message } = error as Error;
  const { code, syscall } = (cause ?? {}) as { code?: string; syscall?: string };
  if (name === "TimeoutError") return new CommandError(`${url} has not answered within ${ANSWER_LIMIT_MS / 1000} seconds.`);
  if (syscall === "open" || syscall === "read") return new CommandError(`The file cannot be read: ${(cause as Error).message}.`);
  if (code === "ECONNREFUSED") return new CommandError(`Nothing answers at ${url}. Is the service running?`);
  if (code === "ENOTFOUND" || code === "EAI_AGAIN")
    return new CommandError(`There is no host ${new URL(url).hostname}, or no network.`);
  if (code !== undefined && CERTIFICATE_CODES.test(code))
    return new CommandError(
      `The certificate of ${url} is not trusted (${code}). If your own authority has signed it, name its file in NODE_EXTRA_CA_CERTS.`,
    );
  return new CommandError(`${url} cannot be reached: ${code ?? (cause as Error | undefined)?.message ?? message}.`);
}

/** The file in the operator's home that holds the token of their sign-in at one address. Only its owner may read it. */
interface TokenFile {
  /** @throws CommandError if another user owns it */
  read(): string | null;
  write(token: string): void;
  remove(): void;
}

export function tokenFile(url: string): TokenFile {
  const path = join(homedir(), ".farline", `${new URL(url).host.replaceAll(/[^\w.-]/g, "-")}.token`);
  return {
    read() {
      try {
        return readFileSync(path, "utf8").trim() || null;
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code === "ENOENT") return null;
        throw new CommandError(`The sign-in in ${path} cannot be read: ${(error as Error).message}.`);
      }
    },
    write(token) {
      mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
      writeFileSync(path, `${token}\n`, { mode: 0o600 });
      // An existing file keeps its mode.
      chmodSync(path, 0o600);
    },
    remove: () => rmSync(path, { force: true }),
  };
}
