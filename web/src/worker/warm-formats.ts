/** A text in the page's language is answered by `true` once the formats that pages need are made. */
addEventListener("message", ({ data: language }: MessageEvent<string>) => {
  new Intl.NumberFormat(language, { style: "currency", currency: "USD" }).format(0);
  new Intl.DateTimeFormat(language, { weekday: "long", hour: "2-digit", minute: "2-digit" }).format(0);
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a worker has none
  postMessage(true);
  close();
});
