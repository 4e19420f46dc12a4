import { gzipSync } from "node:zlib";
import type { FastifyReply, FastifyRequest } from "fastify";

/** Maximum delay until clients see a new version. */
const MAX_AGE_SECONDS = 60;

interface VersionedList {
  readonly version: string;
  readonly content: () => object;
}

/** Sends a public list: serialised and compressed once per version, revalidated by ETag. One sender serves one list. */
export function listSender(): (request: FastifyRequest, reply: FastifyReply, list: VersionedList) => FastifyReply {
  let written: { version: string; plain: Buffer; packed: Buffer } | null = null;
  return (request, reply, { version, content }) => {
    if (written?.version !== version) {
      const plain = Buffer.from(JSON.stringify(content()));
      written = { version, plain, packed: gzipSync(plain) };
    }
    const etag = `W/"${version}"`;
    reply.header("etag", etag).header("cache-control", `public, max-age=${MAX_AGE_SECONDS}`).header("vary", "accept-encoding");
    if (request.headers["if-none-match"] === etag) return reply.status(304).send();
    reply.type("application/json; charset=utf-8");
    if (!/\bgzip\b/.test(request.headers["accept-encoding"] ?? "")) return reply.send(written.plain);
    return reply.header("content-encoding", "gzip").send(written.packed);
  };
}
