import { readFileSync } from "node:fs";
import type { FastifyInstance } from "fastify";

const files = [
  {
    path: "/sandbox.css",
    type: "text/css; charset=utf-8",
    text: readFileSync(new URL("./sandbox.css", import.meta.url), "utf8"),
  },
  {
    path: "/countdown.js",
    type: "text/javascript; charset=utf-8",
    text: readFileSync(new URL("./countdown.js", import.meta.url), "utf8"),
  },
  { path: "/mark.svg", type: "image/svg+xml", text: readFileSync(new URL("./mark.svg", import.meta.url), "utf8") },
];

/** The style sheet, the logo and the script of the sandbox's pages. */
export function staticFiles(app: FastifyInstance): void {
  for (const { path, type, text } of files)
    app.get(path, { config: { access: "development" } }, (_request, reply) =>
      reply.headers({ "content-type": type, "cache-control": "max-age=300", "x-content-type-options": "nosniff" }).send(text),
    );
}
