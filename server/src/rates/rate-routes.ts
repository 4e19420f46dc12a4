import type { FastifyReply, FastifyRequest } from "fastify";
import { AppError } from "../platform/app-error.ts";
import { serve } from "../platform/http/endpoint.ts";
import type { App, Guard } from "../platform/http/http.ts";
import { listSender } from "../platform/http/list-sender.ts";
import type { ActiveDeck, LoadedDeck } from "./active-deck.ts";
import { lookUpNumber } from "./look-up-number.ts";

/** The public routes under `/api/rates`. */
export function rateRoutes(app: App, ctx: { decks: ActiveDeck; lookups: Guard }): void {
  const { decks, lookups } = ctx;
  serve(
    app,
    "GET /api/rates",
    serveList(decks, (deck) => ({ rates: deck.priceList.rates })),
  );
  serve(
    app,
    "GET /api/rates/countries",
    serveList(decks, (deck) => ({ countries: deck.priceList.summaries })),
  );

  serve(app, "POST /api/rates/get-rate", async (request) => {
    const { country_code, number_type } = request.body;
    const found = activeDeck(decks).priceList.rates.find(
      (one) => one.country_code === country_code && one.number_type === number_type,
    );
    if (found === undefined) throw new AppError("no_rate", { reason: "no_rate_for_country" });
    return { rate: found };
  });

  serve(app, "POST /api/rates/lookup-number", {
    onRequest: lookups,
    handler: async (request) => {
      const { phone_number, country_code } = request.body;
      activeDeck(decks);
      return { rate: lookUpNumber((e164) => decks.quote(e164, "visitor"), phone_number, country_code ?? null) };
    },
  });
}

function activeDeck(decks: ActiveDeck): LoadedDeck {
  const deck = decks.current();
  if (deck === null) throw new AppError("unavailable", { reason: "rates_not_ready" });
  return deck;
}

/** Serves a list that changes only with the deck. */
function serveList(decks: ActiveDeck, contentOf: (deck: LoadedDeck) => object) {
  const send = listSender();
  return async (request: FastifyRequest, reply: FastifyReply) => {
    const deck = activeDeck(decks);
    return send(request, reply, { version: deck.edition, content: () => contentOf(deck) });
  };
}
