import type { FastifyInstance, FastifyRequest } from "fastify";

/** HTML that is safe to put into a page. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Part = Html | string | number | null | undefined | false | readonly Html[];

/** Tagged template that escapes its parts, except `Html`. Null, undefined and false render as nothing. */
export function html(strings: TemplateStringsArray, ...parts: Part[]): Html {
  return new Html(strings.reduce((text, piece, i) => text + piece + (i < parts.length ? render(parts[i]) : ""), ""));
}

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };

function render(part: Part): string {
  if (part === null || part === undefined || part === false) return "";
  if (part instanceof Html) return part.text;
  if (typeof part === "object") return part.map((piece) => piece.text).join("");
  return String(part).replace(/[&<>"']/g, (character) => ENTITIES[character] as string);
}

/** Accepts form bodies, unparsed, besides the content types accepted so far. */
export function acceptForms(app: FastifyInstance): void {
  app.addContentTypeParser("application/x-www-form-urlencoded", { parseAs: "string" }, (_request, body, done) =>
    done(null, body),
  );
}

/** Accepts form bodies and nothing else. */
export function acceptOnlyForms(app: FastifyInstance): void {
  app.removeAllContentTypeParsers();
  acceptForms(app);
}

/** The unparsed form; empty without one. */
export function formText(request: FastifyRequest): string {
  return typeof request.body === "string" ? request.body : "";
}

/** Whether another site submits the request in the user's name. */
export function isCrossSite(request: FastifyRequest): boolean {
  return request.headers["sec-fetch-site"] === "cross-site";
}
