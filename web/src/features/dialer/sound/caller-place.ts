import type { CallObstacle } from "../../../phone/call-obstacle.ts";

/** Where a page was opened, by the user agent. It chooses the words of an advice; what works is decided by trying it. */
export interface CallerPlace {
  /** The app whose own browser this is; "" if it does not tell its name, null in a browser of its own. */
  readonly app: string | null;
  readonly system: "ios" | "android" | "windows" | "macos" | "other";
  readonly browser: "Chrome" | "Edge" | "Firefox" | "Safari" | "Samsung Internet" | null;
  /** Opened from the home screen, so there is no address bar. */
  readonly isInstalled: boolean;
}

/** What the browser tells about itself. */
interface BrowserMarks {
  readonly userAgent: string;
  readonly touchPoints: number;
  readonly isInstalled: boolean;
}

/** By the words that the apps add to the user agent. Messenger's contain Facebook's. */
const APPS: readonly (readonly [RegExp, string])[] = [
  [/Instagram/, "Instagram"],
  [/FBAN\/Messenger|Orca-Android/, "Messenger"],
  [/\bFB(AN|AV|_IAB)\b/, "Facebook"],
  [/Barcelona/, "Threads"],
  [/musical_ly|BytedanceWebview|TikTok|trill_/, "TikTok"],
  [/MicroMessenger/, "WeChat"],
  [/\bLine\//, "Line"],
  [/Snapchat/, "Snapchat"],
  [/Telegram/, "Telegram"],
  [/WhatsApp/, "WhatsApp"],
  [/LinkedInApp/, "LinkedIn"],
  [/Twitter/, "X"],
  [/Pinterest/, "Pinterest"],
  [/KAKAOTALK/, "KakaoTalk"],
  [/Viber/, "Viber"],
];

/** Chromium's and WebKit's browsers name others too, so the order decides. */
const BROWSERS: readonly (readonly [RegExp, NonNullable<CallerPlace["browser"]>])[] = [
  [/SamsungBrowser\//, "Samsung Internet"],
  [/Edg(A|iOS)?\//, "Edge"],
  [/(Firefox|FxiOS)\//, "Firefox"],
  [/(Chrome|CriOS)\//, "Chrome"],
  [/Version\/.*Safari\//, "Safari"],
];

export function readPlace({ userAgent, touchPoints, isInstalled }: BrowserMarks): CallerPlace {
  const find = <T>(list: readonly (readonly [RegExp, T])[]): T | null => list.find(([mark]) => mark.test(userAgent))?.[1] ?? null;
  const system = systemOf(userAgent, touchPoints);
  // Android's web views say `wv`; those of iOS leave out Safari's word, as pages opened from the home screen do.
  const isWebView = /; wv\)/.test(userAgent) || (system === "ios" && !/Safari\//.test(userAgent));
  return {
    app: isInstalled ? null : (find(APPS) ?? (isWebView ? "" : null)),
    system,
    browser: find(BROWSERS),
    isInstalled,
  };
}

function systemOf(userAgent: string, touchPoints: number): CallerPlace["system"] {
  // iPads identify as Macs, but no Mac has a touch screen.
  if (/iPhone|iPad|iPod/.test(userAgent) || (/Macintosh/.test(userAgent) && touchPoints > 1)) return "ios";
  if (/Android/.test(userAgent)) return "android";
  if (/Windows/.test(userAgent)) return "windows";
  return /Macintosh/.test(userAgent) ? "macos" : "other";
}

/** Why nobody can be called: the page's own obstacle, or a microphone refused for this page or by the system for the whole browser. */
export type CallTrouble = CallObstacle | "denied" | "denied_by_system";

type HelpKey =
  | ("chrome" | "edge" | "firefox" | "safari" | "other")
  | ("android" | "androidFirefox" | "androidInstalled" | "samsung" | "systemAndroid")
  | ("iphone" | "iphoneApp" | "homeScreen" | "systemWindows" | "systemMac");

/** The text that says what to do, and whether it means to open the page elsewhere. */
type Advice =
  | { readonly text: `microphoneHelp.${HelpKey}` }
  | {
      readonly text: `cannotCall.${"app" | "lockdown" | "lockdownMac" | "blocked" | "blockedFirefox" | "noMicrophone" | "insecure" | "forbidden"}`;
      /** `browser` opens the address in the phone's browser, `tab` in a tab of its own; `copy` is for pasting it elsewhere. */
      readonly actions: readonly ("browser" | "tab" | "copy")[];
    };

export function adviceFor(trouble: CallTrouble, place: CallerPlace): Advice {
  if (trouble === "insecure") return { text: "cannotCall.insecure", actions: [] };
  if (trouble === "forbidden") return { text: "cannotCall.forbidden", actions: ["tab"] };
  if (place.app !== null) return { text: "cannotCall.app", actions: place.system === "android" ? ["browser", "copy"] : ["copy"] };
  if (trouble === "denied") return { text: `microphoneHelp.${siteHelp(place)}` };
  if (trouble === "denied_by_system") return { text: `microphoneHelp.${systemHelp(place)}` };
  // Lockdown Mode takes both, from every browser of a phone.
  if (place.system === "ios") return { text: "cannotCall.lockdown", actions: [] };
  if (place.browser === "Safari") return { text: "cannotCall.lockdownMac", actions: [] };
  if (trouble === "no_microphone") return { text: "cannotCall.noMicrophone", actions: ["copy"] };
  return { text: `cannotCall.${place.browser === "Firefox" ? "blockedFirefox" : "blocked"}`, actions: ["copy"] };
}

/** How to allow the microphone for this page. */
function siteHelp({ system, browser, isInstalled }: CallerPlace): HelpKey {
  if (system === "ios") return isInstalled ? "homeScreen" : browser === "Safari" ? "iphone" : "iphoneApp";
  if (system === "android") {
    if (isInstalled) return "androidInstalled";
    return browser === "Samsung Internet" ? "samsung" : browser === "Firefox" ? "androidFirefox" : "android";
  }
  const desktop = { Chrome: "chrome", Edge: "edge", Firefox: "firefox", Safari: "safari", "Samsung Internet": "other" } as const;
  return browser === null ? "other" : desktop[browser];
}

/** How to allow it in the system's settings, where the page's own are in order. */
function systemHelp(place: CallerPlace): HelpKey {
  const help = { ios: "iphoneApp", android: "systemAndroid", windows: "systemWindows", macos: "systemMac", other: null } as const;
  return help[place.system] ?? siteHelp(place);
}
