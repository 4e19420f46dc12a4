import { PATIENCE_MS } from "@farline/domain/test/patience.ts";
import { request } from "node:http";
import { whileNotReady } from "./ask-service.ts";

/** More than a test checks of a response. */
const MAX_TEXT_LENGTH = 2_000;

export interface RawAnswer {
  readonly status: number;
  readonly text: string;
  /** The redirect target, if any. */
  readonly location: string | null;
  readonly cacheControl: string | null;
}

interface RawRequest {
  readonly method?: string;
  readonly headers?: Record<string, string>;
  readonly body?: unknown;
}

/** Sends a request with its path exactly as given; `fetch` would normalise it. Status 0: the connection was cut. */
export function rawHttp(port: number, path: string, wanted: RawRequest = {}): Promise<RawAnswer> {
  return whileNotReady(() => send(port, path, wanted));
}

function send(port: number, path: string, { method = "GET", headers = {}, body }: RawRequest): Promise<RawAnswer> {
  const text = body === undefined ? undefined : typeof body === "string" ? body : JSON.stringify(body);
  return new Promise((settle) => {
    const cut = () => settle({ status: 0, text: "", location: null, cacheControl: null });
    const sent = request(
      {
        host: "127.0.0.1",
        port,
        path,
        method,
        agent: false,
        timeout: PATIENCE_MS,
        headers: { ...(text === undefined ? {} : { "content-type": "application/json" }), ...headers },
      },
      (answer) => {
        let received = "";
        answer.setEncoding("utf8");
        answer.on("data", (chunk: string) => (received = (received + chunk).slice(0, MAX_TEXT_LENGTH)));
        answer.on("end", () => {
          const { location = null, "cache-control": cacheControl = null } = answer.headers;
          settle({ status: answer.statusCode ?? 0, text: received, location, cacheControl });
        });
        answer.on("error", cut);
      },
    );
    sent.on("timeout", () => sent.destroy());
    sent.on("error", cut);
    sent.end(text);
  });
}

/** Spellings of one path that a router, a proxy or a prefix check may interpret differently. */
export function spellings(path: string): string[] {
  const [, first = "", ...rest] = path.split("/");
  const tail = rest.length === 0 ? "" : `/${rest.join("/")}`;
  const encoded = [...first].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join("");
  return [
    path,
    `/${encoded}${tail}`,
    `/${path}`,
    `/x/..${path}`,
    `/${first.toUpperCase()}${tail}`,
    `${path}/`,
    `/${first};a=b${tail}`,
  ];
}
