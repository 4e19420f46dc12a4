import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gunzipSync, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

/** All pages in all languages fit; the least recently used are evicted. */
const MAX_PAGES = 2_000;
/**
 * Popular pages are compressed once and sent many times, so maximum compression pays: it saves the rates page a round trip on
 * slow connections. Rare pages, such as searches, must be cheap to compress.
 */
const BROTLI_QUALITY = { "read by many": constants.BROTLI_MAX_QUALITY, "read by few": 5 } as const;

/** A page in the encodings that browsers accept. */
interface CompressedPage {
  readonly etag: string;
  readonly brotli: Buffer;
  readonly gzip: Buffer;
}

/** Compresses a page. */
export async function compressPage(html: string, use: keyof typeof BROTLI_QUALITY): Promise<CompressedPage> {
  const plain = Buffer.from(html);
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY[use] } }),
    promisify(gzip)(plain),
  ]);
  return { etag: `W/"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`, brotli, gzip: gzipped };
}

/** Sends a page, or 304 if the browser has it. */
export function sendPage(request: FastifyRequest, reply: FastifyReply, page: CompressedPage): FastifyReply {
  reply
    .header("etag", page.etag)
    .header("cache-control", "no-cache")
    .header("vary", "accept-encoding, accept-language, cookie")
    .type("text/html; charset=utf-8");
  if (reply.statusCode === 200 && (request.headers["if-none-match"] ?? "").includes(page.etag)) return reply.status(304).send();
  const accepted = request.headers["accept-encoding"] ?? "";
  if (/\bbr\b/.test(accepted)) return reply.header("content-encoding", "br").send(page.brotli);
  if (/\bgzip\b/.test(accepted)) return reply.header("content-encoding", "gzip").send(page.gzip);
  return reply.send(gunzipSync(page.gzip));
}

/** LRU cache of compressed pages. Concurrent requests share one rendering. */
export class PageCache {
  readonly #pages = new Map<string, Promise<CompressedPage>>();
  readonly #maxPages: number;
  readonly #use: keyof typeof BROTLI_QUALITY;

  constructor({ maxPages = MAX_PAGES, use = "read by many" }: { maxPages?: number; use?: keyof typeof BROTLI_QUALITY } = {}) {
    this.#maxPages = maxPages;
    this.#use = use;
  }

  /** @param mayRender called before a page is rendered; throws to prevent it */
  get(key: string, render: () => string, mayRender: () => Promise<void> = async () => {}): Promise<CompressedPage> {
    const cached = this.#pages.get(key);
    const page = cached ?? mayRender().then(() => compressPage(render(), this.#use));
    this.#pages.delete(key);
    this.#pages.set(key, page);
    if (cached === undefined) this.#watch(key, page);
    return page;
  }

  /** A failed rendering is retried by the next request. */
  #watch(key: string, page: Promise<CompressedPage>): void {
    page.catch(() => this.#pages.delete(key));
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= this.#maxPages) break;
      this.#pages.delete(oldest);
    }
  }
}
