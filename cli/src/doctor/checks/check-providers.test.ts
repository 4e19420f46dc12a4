import { once } from "node:events";
import { createServer as createHttpServer } from "node:http";
import { createServer, type AddressInfo, type Server } from "node:net";
import { afterEach, expect, test } from "vitest";
import { checkMail, checkVoiceProvider } from "./check-providers.ts";

const servers: Server[] = [];
afterEach(() => {
  for (const server of servers.splice(0)) server.close();
});

async function portOf(server: Server): Promise<number> {
  servers.push(server);
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return (server.address() as AddressInfo).port;
}

/** A provider that accepts one key. */
const provider = (key: string) =>
  portOf(
    createHttpServer((request, response) => {
      const known = request.headers.authorization === `Bearer ${key}`;
      response.writeHead(known ? 200 : 401, { "content-type": "application/json" });
      response.end(known ? '{"object":"list","data":[],"has_more":false}' : '{"error":{"type":"invalid_request_error"}}');
    }),
  );

test("a key that the voice provider refuses is a fault", async () => {
  const apiBase = `http://127.0.0.1:${await provider("right")}`;
  expect(await checkVoiceProvider({ apiBase, apiKeys: ["right"] })).toMatchObject([{ level: "ok" }]);
  expect(await checkVoiceProvider({ apiBase, apiKeys: ["wrong"] })).toMatchObject([
    { level: "fault", text: expect.stringContaining("refuses TELNYX_API_KEY") },
  ]);
});

test("a voice provider that does not answer is a fault", async () => {
  const apiBase = `http://127.0.0.1:${await provider("right")}`;
  servers.pop()?.close();
  expect(await checkVoiceProvider({ apiBase, apiKeys: ["k"] })).toMatchObject([
    { level: "fault", text: expect.stringContaining("does not answer: ECONNREFUSED") },
  ]);
});

/** A mail server that accepts one password, or needs none if `login` is null. */
const mailServer = (login: string | null) =>
  portOf(
    createServer((socket) => {
      socket.write("220 mail.example\r\n");
      socket.on("error", () => undefined);
      socket.on("data", (chunk) => {
        const line = chunk.toString();
        if (line.startsWith("EHLO"))
          socket.write(login === null ? "250 mail.example\r\n" : "250-mail.example\r\n250 AUTH PLAIN\r\n");
        else if (line.startsWith("AUTH PLAIN"))
          socket.write(Buffer.from(line.slice(11), "base64").toString().endsWith(`\0${login}`) ? "235 ok\r\n" : "535 no\r\n");
        else socket.end("221 bye\r\n");
      });
    }),
  );

test("a mail server that does not answer or refuses our password is a fault", async () => {
  const from = "a@example.com";
  const open = await mailServer(null);
  const guarded = await mailServer("right");
  expect(await checkMail({ smtpUrl: `smtp://127.0.0.1:${open}`, from })).toMatchObject([{ level: "ok" }]);
  expect(await checkMail({ smtpUrl: `smtp://user:right@127.0.0.1:${guarded}`, from })).toMatchObject([{ level: "ok" }]);
  const [refused] = await checkMail({ smtpUrl: `smtp://user:wrong@127.0.0.1:${guarded}`, from });
  expect(refused).toMatchObject({ level: "fault", text: expect.stringContaining("EAUTH") });
  expect(refused?.text).not.toContain("wrong");
  expect(await checkMail({ smtpUrl: "smtp://127.0.0.1:1", from })).toMatchObject([{ level: "fault" }]);
  expect(await checkMail({ smtpUrl: null, from })).toMatchObject([{ level: "warning" }]);
});
