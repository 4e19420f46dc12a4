import { createSocket } from "node:dgram";
import { classes, Message, methods } from "werift";
import { LOOPBACK } from "../loopback.ts";

/** A second address of the browser, like another network interface. */
interface SecondPath {
  readonly arrived: readonly Buffer[];
  /** Resolves to the first media packet. */
  readonly media: Promise<void>;
  /** Sends a check that nominates this address, signed with `key`, by default the answer's password. */
  nominate(key?: string): void;
  close(): Promise<void>;
}

export function openSecondPath(answerSdp: string): SecondPath {
  const [, port] = / 127\.0\.0\.1 (\d+) typ host/.exec(answerSdp) ?? [];
  const [, user] = /^a=ice-ufrag:(\S+)/m.exec(answerSdp) ?? [];
  const [, password] = /^a=ice-pwd:(\S+)/m.exec(answerSdp) ?? [];
  const socket = createSocket("udp4");
  const arrived: Buffer[] = [];
  const media = Promise.withResolvers<void>();
  socket.on("message", (datagram) => {
    arrived.push(datagram);
    if ((datagram[0] ?? 0) >= 128) media.resolve();
  });
  return {
    arrived,
    media: media.promise,
    nominate(key = password ?? "") {
      const check = new Message(methods.BINDING, classes.REQUEST);
      check
        .setAttribute("USERNAME", `${user}:far`)
        .setAttribute("PRIORITY", 1)
        .setAttribute("ICE-CONTROLLING", 1n)
        .setAttribute("USE-CANDIDATE", null);
      socket.send(check.addMessageIntegrity(Buffer.from(key)).addFingerprint().bytes, Number(port), LOOPBACK.bound);
    },
    close: () => new Promise((resolve) => socket.close(resolve)),
  };
}
