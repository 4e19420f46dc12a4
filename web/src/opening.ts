import { emergencyNotice as arNotice, title as arTitle } from "./locales/ar/dialer.json";
import { emergencyNotice as enNotice, title as enTitle } from "./locales/en/dialer.json";
import { emergencyNotice as esNotice, title as esTitle } from "./locales/es/dialer.json";
import { emergencyNotice as frNotice, title as frTitle } from "./locales/fr/dialer.json";
import { emergencyNotice as hiNotice, title as hiTitle } from "./locales/hi/dialer.json";
import { openingLanguage } from "./text/language.ts";
import { nextTask } from "./browser/next-task.ts";
import { readSetting } from "./browser/setting.ts";

// The second script of the page, right behind the place of the app: it draws what stands there until the app does, and
// starts the app.

/** A page that is behind others is not painted. */
const PAINT_LIMIT_MS = 100;
const KEYS = "1,2 ABC,3 DEF,4 GHI,5 JKL,6 MNO,7 PQRS,8 TUV,9 WXYZ,*,0 +,#".split(",");
const texts = {
  en: [enTitle, enNotice],
  es: [esTitle, esNotice],
  fr: [frTitle, frNotice],
  hi: [hiTitle, hiNotice],
  ar: [arTitle, arNotice],
} as const;

/** The app's files in the order in which they run; put in by the build. */
const files = document.currentScript?.dataset["files"]?.split(" ") ?? [];
/** What the dialer needs beside the app; put in by the build. */
const pageFiles = document.currentScript?.dataset["pageFiles"]?.split(" ") ?? [];
const drawn = location.pathname === "/dialer" && readSetting("token") !== null;
if (drawn) document.querySelector("#root")?.append(outline());
void start();

/** The app would ask for them only when all of its own files have run. What is seen first has the line to itself. */
function fetchEarly(paths: readonly string[]): void {
  for (const href of paths) {
    const link = document.createElement("link");
    link.href = href;
    link.crossOrigin = "";
    if (href.endsWith(".css")) Object.assign(link, { rel: "preload", as: "style" });
    else link.rel = "modulepreload";
    document.head.append(link);
  }
}

/** One after the other, with room between them: in one go, and before anything is painted, they would hold the page. */
async function start(): Promise<void> {
  if (drawn) {
    await painted();
    fetchEarly(pageFiles);
  }
  for (const file of files) {
    await import(/* @vite-ignore */ file);
    await nextTask();
  }
}

async function painted(): Promise<void> {
  const frame = new Promise((resolve) => requestAnimationFrame(resolve));
  const limit = new Promise((resolve) => setTimeout(resolve, PAINT_LIMIT_MS));
  await Promise.race([frame, limit]);
  await nextTask();
}

/** The frame of the dialer, without what is still to be read: nobody can use it, and the app takes its place. */
function outline(): HTMLElement {
  const [title, notice] = texts[openingLanguage()];
  const bar = element("header", "appbar on-panel", [
    element("div", "appbar__in page", [element("span", "brand", [element("span", "", "Farline")])]),
  ]);
  const pad = element("section", "card dialer__pad", [
    element("div", "numfield opening__field"),
    element("div", "opening__rate"),
    keys(),
    element("div", "opening__keys"),
  ]);
  const page = element("div", "", [
    element("div", "t-page dialer__h", title),
    pad,
    element("p", "muted small dialer__emergency", notice),
  ]);
  const outlined = element("div", "opening", [bar, element("div", "main page", [element("div", "dialer", [page])])]);
  outlined.inert = true;
  outlined.ariaHidden = "true";
  return outlined;
}

function keys(): HTMLElement {
  const drawnKeys = KEYS.map((key) => {
    const [digit = "", letters] = key.split(" ");
    const symbol = digit === "*" || digit === "#";
    return element("div", symbol ? "key key--sym" : "key", [
      element("b", "", digit),
      ...(symbol ? [] : [element("small", "", letters ?? "\u00a0")]),
    ]);
  });
  const group = element("div", "keys", drawnKeys);
  group.dir = "ltr";
  return group;
}

function element(name: string, look: string, content: string | readonly HTMLElement[] = []): HTMLElement {
  const made = document.createElement(name);
  if (look !== "") made.className = look;
  made.append(...(typeof content === "string" ? [content] : content));
  return made;
}
