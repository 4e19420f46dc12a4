import type { Page, WebSocketRoute } from "@playwright/test";

/** The page's socket to the exchange, controlled by a test. */
interface VoiceSocket {
  /** Breaks the socket; the page may open a new one. */
  cut(): Promise<void>;
  /** While blocked, no socket can be opened. */
  block(blocked: boolean): void;
  /** The number of sockets opened so far. */
  readonly made: number;
}

/** Call it before the page is opened. */
export async function takeVoiceSocket(page: Page): Promise<VoiceSocket> {
  const exchangePort = String(Number(new URL(process.env["PRODUCT_URL"] ?? "").port) + 2);
  const open: { page: WebSocketRoute; exchange: WebSocketRoute }[] = [];
  let blocked = false;
  let made = 0;
  await page.routeWebSocket(
    (url) => url.port === exchangePort,
    (socket) => {
      made += 1;
      if (blocked) void socket.close({ code: 1013 });
      else open.push({ page: socket, exchange: socket.connectToServer() });
    },
  );
  return {
    async cut() {
      for (const ends of open.splice(0)) {
        await ends.exchange.close();
        await ends.page.close({ code: 1012 });
      }
    },
    block: (on) => void (blocked = on),
    get made() {
      return made;
    },
  };
}
