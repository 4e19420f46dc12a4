import type { FastifyInstance } from "fastify";
import type { CallView } from "../phone-network/call-record.ts";
import { carrierNumbers } from "../phone-network/carrier-numbers.ts";
import type { PhoneNetwork } from "../phone-network/phone-network.ts";
import type { TestNumber } from "../phone-network/line-behaviour.ts";
import { testNumbers } from "../phone-network/test-numbers.ts";
import { cardGroups, groupedCardNumber } from "../stripe/cards/test-cards.ts";
import { html, type Html } from "./html.ts";
import { layout, sendPage } from "./layout.ts";

const SHOWN_CALLS = 10;

/** "/" lists the stand-ins, the test numbers and cards, and recent calls. */
export function homePage(
  app: FastifyInstance,
  context: { network: PhoneNetwork; appUrl: string | null; mailbox: boolean; google: boolean },
): void {
  app.get("/", { config: { access: "development" } }, (_request, reply) => {
    const body = html` <h1>The outside world, on this machine</h1>
      <p class="lead">
        Farline needs a phone network and a payment provider. Here both are stand-ins that speak the real protocols, so you can
        try everything without an account, a bill or a real call.
      </p>
      <section aria-labelledby="numbers">
        <h2 id="numbers">Numbers to call</h2>
        <p>Any number rings and answers with an echo: no real phone is called. These behave differently.</p>
        ${numberRows(testNumbers)}
        <h3>Difficult carriers</h3>
        <p>Behind these numbers are carriers that do what real ones do: valid signalling of an unusual kind, and refusals.</p>
        ${numberRows(carrierNumbers)}
      </section>
      ${cardsSection()}
      ${
        context.mailbox &&
        html`<section aria-labelledby="mailbox">
          <h2 id="mailbox">Mails</h2>
          <p>
            Mail does not leave this machine either. Every message, whatever its address, is in the
            <a href="/mailbox">mailbox</a>.
          </p>
        </section>`
      }
      ${
        context.google &&
        html`<section aria-labelledby="google">
          <h2 id="google">Signing in with Google</h2>
          <p>
            “Continue with Google” leads to a page of this sandbox. There you choose who to be: a new person, or somebody with an
            address you enter.
          </p>
        </section>`
      }
      <section aria-labelledby="calls">
        <h2 id="calls">Recent calls</h2>
        <p>
          As the phone network saw them. Reload the page for the latest; <a href="/phone-network/calls">the same as JSON</a>. Play
          what the called phone heard, for example the code that verifies a number.
        </p>
        ${callRows(context.network.calls({ limit: SHOWN_CALLS }))}
      </section>`;
    return sendPage(reply, layout({ title: "What runs here", body, appUrl: context.appUrl }), { sound: true });
  });
}

function numberRows(numbers: readonly TestNumber[]): Html {
  return html`<ul class="rows">
    ${numbers.map(
      (entry) =>
        html` <li>
          <span class="figure">${formatNumber(entry.number)}</span><span><b>${entry.title}</b><br />${entry.description}</span>
        </li>`,
    )}
  </ul>`;
}

function cardsSection(): Html {
  return html`<section aria-labelledby="cards">
    <h2 id="cards">Cards to pay with</h2>
    <p>Use any future expiry date and any three-digit CVC. No other card is accepted: never enter a real one.</p>
    ${cardGroups.map(
      ({ title, cards }) =>
        html`<h3>${title}</h3>
          <ul class="rows">
            ${cards.map(
              (card) =>
                html` <li>
                  <span class="figure">${groupedCardNumber(card.number)}</span
                  ><span><b>${card.title}</b><br />${card.description}</span>
                </li>`,
            )}
          </ul>`,
    )}
    <p>
      The <a href="/sandbox/stripe">control panel</a> shows every payment, makes refunds, opens disputes, and loses or delays
      webhooks.
    </p>
  </section>`;
}

function callRows(calls: readonly CallView[]): Html {
  if (calls.length === 0) return html`<p class="empty">No call yet.</p>`;
  return html`<ul class="rows">
    ${calls.map(
      (call) =>
        html` <li>
          <span class="figure">${formatNumber(call.number)}</span
          ><span
            ><b>${stateOf(call)}</b> · <time datetime="${call.startedAt}">${call.startedAt.slice(11, 19)} UTC</time
            ><br />${detailsOf(call)}${call.recordedSeconds > 0 && player(call)}</span
          >
        </li>`,
    )}
  </ul>`;
}

function player(call: CallView): Html {
  const label = `What ${formatNumber(call.number)} heard`;
  return html`<audio controls preload="none" src="/phone-network/calls/${call.id}/recording.wav" aria-label="${label}"></audio>`;
}

function stateOf(call: CallView): string {
  switch (call.state) {
    case "setup":
      return "Connecting";
    case "ringing":
      return "Ringing";
    case "answered":
      return "In the call";
    default:
      return call.answeredAt === null ? `Not answered (${call.sipStatus || "no reply"})` : `Ended by the ${call.endedBy}`;
  }
}

function detailsOf(call: CallView): string {
  const seconds =
    call.answeredAt === null ? null : (Date.parse(call.endedAt ?? new Date().toISOString()) - Date.parse(call.answeredAt)) / 1000;
  const facts = [
    `from ${call.from}`,
    seconds === null ? null : `${Math.round(seconds)} s`,
    call.rtp.received > 0 ? `${call.rtp.received} packets heard, ${call.rtp.lost} lost` : null,
    call.heard.frequencyHz === null ? null : `loudest tone ${call.heard.frequencyHz} Hz`,
    call.digits === "" ? null : `keys ${call.digits}`,
  ];
  return facts.filter((fact) => fact !== null).join(" · ");
}

/** "+442079460000" as "+44 20 7946 0000"; other numbers in groups of three digits. */
function formatNumber(number: string): string {
  const london = /^\+44(20)(\d{4})(\d{4})$/.exec(number);
  return london ? `+44 ${london[1]} ${london[2]} ${london[3]}` : number.replace(/(\d{3})(?=\d)/g, "$1 ");
}
