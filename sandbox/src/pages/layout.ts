import type { FastifyReply } from "fastify";
import { html, type Html } from "./html.ts";

/** A complete page in the sandbox's design. */
export function layout(page: { title: string; body: Html; appUrl: string | null; script?: string | undefined }): Html {
  return html`<!doctype html>
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="robots" content="noindex" />
        <title>${page.title} · Farline sandbox</title>
        <link rel="icon" href="/mark.svg" type="image/svg+xml" />
        <link rel="stylesheet" href="/sandbox.css" />
        ${page.script !== undefined && html`<script type="module" src="${page.script}"></script>`}
      </head>
      <body>
        <a class="skip" href="#main">Skip to the content</a>
        <header class="bar">
          <div class="page bar-row">
            <a class="brand" href="/"
              ><img src="/mark.svg" alt="" width="28" height="28" /><span>Farline <b>sandbox</b></span></a
            >
            <p class="bar-note">No real money, no real calls</p>
            ${page.appUrl !== null && html`<a class="bar-link" href="${page.appUrl}">Open Farline</a>`}
          </div>
        </header>
        <main id="main" class="page">${page.body}</main>
      </body>
    </html> `;
}

/**
 * Sends a page that may load only the sandbox's own resources and may not be framed.
 * @param options.formTarget origin to which a form may redirect
 * @param options.script path of the page's script
 * @param options.sound whether the page may play audio
 * @param options.frames whether the page may contain frames
 */
export function sendPage(
  reply: FastifyReply,
  page: Html,
  options: { status?: number; formTarget?: string | null; script?: string | undefined; frames?: boolean; sound?: boolean } = {},
): FastifyReply {
  const { status = 200, formTarget = null, script, frames = false, sound = false } = options;
  return reply
    .status(status)
    .headers({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy":
        pagePolicy(formTarget) +
        (frames ? "; frame-src 'self'" : "") +
        (sound ? "; media-src 'self'" : "") +
        (script ? "; script-src 'self'" : ""),
      "referrer-policy": "same-origin",
      "x-content-type-options": "nosniff",
    })
    .send(page.text);
}

/** Allows style sheets and images only. Browsers also apply form-action to a form's redirect, so its target must be listed. */
export function pagePolicy(formTarget: string | null): string {
  const forms = formTarget === null ? "'self'" : `'self' ${formTarget}`;
  return `default-src 'none'; style-src 'self'; img-src 'self'; form-action ${forms}; frame-ancestors 'none'; base-uri 'none'`;
}
