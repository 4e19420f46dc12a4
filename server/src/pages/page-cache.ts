import { createHash } from "node:crypto";
import { promisify } from "node:util";
import { brotliCompress, constants, gunzipSync, gzip } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

/** All pages in all languages fit; the least recently used are evicted. */
const MAX_PAGES = 2_000;
/**
 * A page that many read is packed once and sent many times: as small as can be, the rates need one round trip less of a slow
 * line. One that few read, such as a search, must not keep the machine busy.
 */
const BROTLI_QUALITY = { "read by many": constants.BROTLI_MAX_QUALITY, "read by few": 5 } as const;

/** A page in the encodings that browsers accept. */
export interface PackedPage {
  readonly etag: string;
  readonly brotli: Buffer;
  readonly gzip: Buffer;
}

/** Compresses a page. */
export async function packPage(html: string, use: keyof typeof BROTLI_QUALITY): Promise<PackedPage> {
  const plain = Buffer.from(html);
  const [brotli, gzipped] = await Promise.all([
    promisify(brotliCompress)(plain, { params: { [constants.BROTLI_PARAM_QUALITY]: BROTLI_QUALITY[use] } }),
    promisify(gzip)(plain),
  ]);
  return { etag: `W/"${createHash("sha256").update(plain).digest("base64url").slice(0, 22)}"`, brotli, gzip: gzipped };
}

/** Sends a page, or 304 when the reader has it. */
export function sendPage(request: FastifyRequest, reply: FastifyReply, page: PackedPage): FastifyReply {
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

/** An LRU cache of compressed pages. Concurrent requests share one rendering. */
export class PageCache {
  readonly #pages = new Map<string, Promise<PackedPage>>();
  readonly #most: number;
  readonly #use: keyof typeof BROTLI_QUALITY;

  constructor({ most = MAX_PAGES, use = "read by many" }: { most?: number; use?: keyof typeof BROTLI_QUALITY } = {}) {
    this.#most = most;
    this.#use = use;
  }

  /** @param mayRender called before a page is rendered; throws if it may not be */
  get(key: string, render: () => string, mayRender: () => Promise<void> = async () => {}): Promise<PackedPage> {
    const kept = this.#pages.get(key);
    const page = kept ?? mayRender().then(() => packPage(render(), this.#use));
    this.#pages.delete(key);
    this.#pages.set(key, page);
    if (kept === undefined) this.#watch(key, page);
    return page;
  }

  /** A failed rendering is retried by the next request. */
  #watch(key: string, page: Promise<PackedPage>): void {
    page.catch(() => this.#pages.delete(key));
    for (const oldest of this.#pages.keys()) {
      if (this.#pages.size <= this.#most) break;
      this.#pages.delete(oldest);
    }
  }
}
