import type { FastifyInstance, FastifyReply } from "fastify";
import type { Pool } from "pg";
import { z } from "zod";
import { html, type Html } from "../pages/html.ts";
import { layout, sendPage } from "../pages/layout.ts";
import { refusingMailboxes } from "./mail-server.ts";
import { findMail, listMails, type ReceivedMail } from "./mailbox.store.ts";

const SHOWN_MAILS = 100;
const MAX_LISTED = 500;

const listQuery = z.object({
  to: z.string().trim().max(254).optional(),
  limit: z.coerce.number().int().min(1).max(MAX_LISTED).default(50),
});
const mailParams = z.object({ id: z.coerce.number().int().min(1).max(2_147_483_647) });

/** `/mailbox` shows the mails; `/mailbox/messages` returns them as JSON. */
export function mailboxPages(app: FastifyInstance, context: { pool: Pool; appUrl: string | null }): void {
  const { pool, appUrl } = context;

  app.get("/mailbox", { config: { access: "development" } }, async (request, reply) => {
    const to = listQuery.safeParse(request.query).data?.to || null;
    const mails = await listMails(pool, { to, limit: SHOWN_MAILS });
    return sendPage(reply, layout({ title: "Mailbox", body: listBody(mails, to), appUrl }));
  });

  app.get("/mailbox/messages", { config: { access: "development" } }, async (request, reply) => {
    const query = listQuery.safeParse(request.query);
    if (!query.success) return reply.status(422).send({ message: `Use to (an address) and limit (1 to ${MAX_LISTED}).` });
    const mails = await listMails(pool, { to: query.data.to || null, limit: query.data.limit });
    return reply.header("cache-control", "no-store").send({ messages: mails.map(asJson) });
  });

  app.get("/mailbox/:id", { config: { access: "development" } }, async (request, reply) => {
    const mail = await mailOf(request.params);
    if (mail === null) return sendPage(reply, layout({ title: "No such mail", body: missingBody(), appUrl }), { status: 404 });
    return sendPage(reply, layout({ title: mail.subject, body: mailBody(mail), appUrl }), { frames: true });
  });

  app.get("/mailbox/:id/html", { config: { access: "development" } }, async (request, reply) => {
    const mail = await mailOf(request.params);
    if (mail === null || mail.html === "") return reply.status(404).send({ message: "This mail has no HTML part." });
    return sendMailHtml(reply, mail.html);
  });

  async function mailOf(params: unknown): Promise<ReceivedMail | null> {
    const parsed = mailParams.safeParse(params);
    return parsed.success ? findMail(pool, parsed.data.id) : null;
  }
}

/** Sends the HTML part as a sandboxed document without scripts, resources or origin. Links open an unsandboxed tab. */
function sendMailHtml(reply: FastifyReply, part: string): FastifyReply {
  const base = '<base target="_blank">';
  const document = /<head[^>]*>/i.test(part) ? part.replace(/<head[^>]*>/i, (head) => head + base) : base + part;
  return reply
    .headers({
      "content-type": "text/html; charset=utf-8",
      "cache-control": "no-store",
      "content-security-policy":
        "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox allow-popups allow-popups-to-escape-sandbox; frame-ancestors 'self'",
      "referrer-policy": "no-referrer",
      "x-content-type-options": "nosniff",
    })
    .send(document);
}

function listBody(mails: readonly ReceivedMail[], to: string | null): Html {
  return html`<h1>Mailbox</h1>
    <p class="lead">Every mail that Farline sends arrives here, whatever its address. Nothing leaves this machine.</p>
    <form class="search" action="/mailbox" method="get">
      <div>
        <label for="to">Only mails to</label>
        <input id="to" name="to" type="email" value="${to ?? ""}" placeholder="name@example.com" autocomplete="off" />
      </div>
      <button class="key" type="submit">Show</button>
    </form>
    ${
      mails.length === 0
        ? html`<p class="empty">${to === null ? "No mail yet." : `No mail to ${to} yet.`}</p>`
        : html`<ul class="rows">
            ${mails.map(
              (mail) =>
                html` <li>
                  <span class="figure">${timeOf(mail)}</span
                  ><span
                    ><a href="/mailbox/${mail.id}"><b>${mail.subject || "(no subject)"}</b></a
                    ><br />to ${mail.to.join(", ")}</span
                  >
                </li>`,
            )}
          </ul>`
    }
    <section aria-labelledby="odd">
      <h2 id="odd">Addresses that refuse mail</h2>
      <ul class="rows">
        ${refusingMailboxes.map(
          (one) => html` <li><span class="figure">${one.name}@…</span><span>A mail to it ${one.description}.</span></li>`,
        )}
      </ul>
    </section>`;
}

function mailBody(mail: ReceivedMail): Html {
  return html`<p><a class="back" href="/mailbox">All mails</a></p>
    <h1>${mail.subject || "(no subject)"}</h1>
    <ul class="rows">
      <li><span class="figure">From</span><span>${mail.from}</span></li>
      <li><span class="figure">To</span><span>${mail.to.join(", ")}</span></li>
      <li><span class="figure">Arrived</span><span>${mail.receivedAt.toISOString().slice(0, 10)} ${timeOf(mail)}</span></li>
    </ul>
    ${
      mail.html !== "" &&
      html`<section aria-labelledby="html-part">
        <h2 id="html-part">HTML part</h2>
        <iframe
          class="mail"
          src="/mailbox/${mail.id}/html"
          title="HTML part of the mail"
          sandbox="allow-popups allow-popups-to-escape-sandbox"
        ></iframe>
      </section>`
    }
    <section aria-labelledby="text-part">
      <h2 id="text-part">Text part</h2>
      ${mail.text === "" ? html`<p class="empty">This mail has no text part.</p>` : html`<pre class="mail">${linked(mail.text)}</pre>`}
    </section>`;
}

function missingBody(): Html {
  return html`<h1>No such mail</h1>
    <p>It never existed, or newer mails have replaced it. <a href="/mailbox">All mails</a></p>`;
}

const LINK = /https?:\/\/[^\s<>"']+/g;

/** The text with its URLs as links. */
function linked(text: string): Html[] {
  const pieces: Html[] = [];
  let at = 0;
  for (const match of text.matchAll(LINK)) {
    pieces.push(html`${text.slice(at, match.index)}`, html`<a href="${match[0]}">${match[0]}</a>`);
    at = match.index + match[0].length;
  }
  pieces.push(html`${text.slice(at)}`);
  return pieces;
}

function timeOf(mail: ReceivedMail): string {
  return `${mail.receivedAt.toISOString().slice(11, 19)} UTC`;
}

function asJson(mail: ReceivedMail) {
  return {
    id: mail.id,
    from: mail.from,
    to: mail.to,
    subject: mail.subject,
    message_id: mail.messageId,
    text: mail.text,
    html: mail.html,
    links: [...new Set(mail.text.match(LINK) ?? [])],
    received_at: mail.receivedAt.toISOString(),
  };
}
