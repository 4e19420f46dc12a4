import { describe, expect, it, test } from "vitest";
import { adviceFor, type CallerPlace, type CallTrouble, readPlace } from "./caller-place.ts";

const BLINK = "AppleWebKit/537.36 (KHTML, like Gecko)";
const WEBKIT = "AppleWebKit/605.1.15 (KHTML, like Gecko)";
const WINDOWS = `Mozilla/5.0 (Windows NT 10.0; Win64; x64) ${BLINK} Chrome/140.0.0.0 Safari/537.36`;
const ANDROID = `Mozilla/5.0 (Linux; Android 10; K) ${BLINK}`;
const WEB_VIEW = `Mozilla/5.0 (Linux; Android 14; SM-A546B Build/UP1A; wv) ${BLINK} Version/4.0 Chrome/140.0.0.0 Mobile Safari/537.36`;
const IPHONE = `Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) ${WEBKIT}`;
const MAC_SAFARI = `Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${WEBKIT} Version/18.0 Safari/605.1.15`;

describe("where the page was opened", () => {
  it.each([
    [WINDOWS, "windows", "Chrome"],
    [`${WINDOWS} Edg/140.0.0.0`, "windows", "Edge"],
    [`Mozilla/5.0 (X11; Linux x86_64) ${BLINK} Chrome/140.0.0.0 Safari/537.36`, "other", "Chrome"],
    ["Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0", "other", "Firefox"],
    ["Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0", "windows", "Firefox"],
    [MAC_SAFARI, "macos", "Safari"],
    [`Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) ${BLINK} Chrome/140.0.0.0 Safari/537.36`, "macos", "Chrome"],
    [`${ANDROID} Chrome/140.0.0.0 Mobile Safari/537.36`, "android", "Chrome"],
    [`${ANDROID} Chrome/140.0.0.0 Mobile Safari/537.36 EdgA/140.0.0.0`, "android", "Edge"],
    [`${ANDROID} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`, "android", "Samsung Internet"],
    ["Mozilla/5.0 (Android 14; Mobile; rv:140.0) Gecko/140.0 Firefox/140.0", "android", "Firefox"],
    [`${IPHONE} Version/18.6 Mobile/15E148 Safari/604.1`, "ios", "Safari"],
    [`${IPHONE} CriOS/140.0 Mobile/15E148 Safari/604.1`, "ios", "Chrome"],
    [`${IPHONE} FxiOS/140.0 Mobile/15E148 Safari/604.1`, "ios", "Firefox"],
    [`${IPHONE} Version/18.0 EdgiOS/140.0 Mobile/15E148 Safari/604.1`, "ios", "Edge"],
    ["something else", "other", null],
  ] as const)("%s is a browser of its own", (userAgent, system, browser) => {
    expect(readPlace({ userAgent, touchPoints: 5, isInstalled: false })).toMatchObject({
      app: null,
      system: system === "macos" ? "ios" : system,
      browser,
    });
    expect(readPlace({ userAgent, touchPoints: 0, isInstalled: false })).toMatchObject({ app: null, system, browser });
  });

  it.each([
    [`${WEB_VIEW} [FB_IAB/FB4A;FBAV/480.0.0.0;]`, "Facebook"],
    [`${IPHONE} Mobile/22G86 [FBAN/FBIOS;FBAV/480.0.0.0;FBDV/iPhone14,5;FBLC/en_US]`, "Facebook"],
    [`${WEB_VIEW} [FB_IAB/Orca-Android;FBAV/470.0.0.0;]`, "Messenger"],
    [`${IPHONE} Mobile/22G86 [FBAN/MessengerForiOS;FBAV/480.0.0.0]`, "Messenger"],
    [`${WEB_VIEW} Instagram 350.0.0.0.1 Android`, "Instagram"],
    [`${IPHONE} Mobile/22G86 Instagram 350.0.0.0.1 (iPhone14,5; iOS 18_6; en_US)`, "Instagram"],
    [`${IPHONE} Mobile/22G86 Barcelona 350.0.0.0.1 (iPhone14,5; iOS 18_6; en_US)`, "Threads"],
    [`${WEB_VIEW} trill_380000 BytedanceWebview/d8a21c6`, "TikTok"],
    [`${IPHONE} Mobile/15E148 musical_ly_38.0.0 JsSdk/2.0`, "TikTok"],
    [`${IPHONE} Mobile/15E148 MicroMessenger/8.0.50 Language/zh_CN`, "WeChat"],
    [`${WINDOWS} MicroMessenger/7.0.20 WindowsWechat`, "WeChat"],
    [`${IPHONE} Mobile/15E148 Safari Line/14.0.0`, "Line"],
    [`${WEB_VIEW} Line/14.0.0/IAB`, "Line"],
    [`${IPHONE} Mobile/15E148 Snapchat/13.0.0 (like Safari/8619, panda)`, "Snapchat"],
    [`${WEB_VIEW} Telegram-Android/11.0 (Samsung SM-A546B)`, "Telegram"],
    [`${WEB_VIEW} [LinkedInApp]/4.1`, "LinkedIn"],
    [`${IPHONE} Mobile/15E148 [LinkedInApp]/9.30`, "LinkedIn"],
    [`${IPHONE} Mobile/15E148 Twitter for iPhone/10.50`, "X"],
    [`${WEB_VIEW} TwitterAndroid`, "X"],
    [`${IPHONE} Mobile/15E148 [Pinterest/iOS]`, "Pinterest"],
    [WEB_VIEW, ""],
    [`${IPHONE} Mobile/15E148`, ""],
    [`Mozilla/5.0 (iPad; CPU OS 18_6 like Mac OS X) ${WEBKIT} Mobile/15E148`, ""],
  ])("%s is inside an app", (userAgent, app) => {
    expect(readPlace({ userAgent, touchPoints: 5, isInstalled: false }).app).toBe(app);
  });

  it("a page opened from the home screen of iOS, whose user agent is a web view's, is in no app", () => {
    expect(readPlace({ userAgent: `${IPHONE} Mobile/15E148`, touchPoints: 5, isInstalled: true })).toMatchObject({
      app: null,
      system: "ios",
      isInstalled: true,
    });
  });
});

const place = (system: CallerPlace["system"], browser: CallerPlace["browser"], more: Partial<CallerPlace> = {}): CallerPlace => ({
  app: null,
  system,
  browser,
  isInstalled: false,
  ...more,
});
const instagram = { app: "Instagram" };
const installed = { isInstalled: true };

/** Place, then the advice when refused by the site, by the system, without connections, without a microphone. */
const ADVICE: readonly (readonly [CallerPlace, string, string, string, string])[] = [
  [place("windows", "Chrome"), "chrome", "systemWindows", "blocked", "noMicrophone"],
  [place("windows", "Edge"), "edge", "systemWindows", "blocked", "noMicrophone"],
  [place("windows", "Firefox"), "firefox", "systemWindows", "blockedFirefox", "noMicrophone"],
  [place("macos", "Chrome"), "chrome", "systemMac", "blocked", "noMicrophone"],
  [place("macos", "Firefox"), "firefox", "systemMac", "blockedFirefox", "noMicrophone"],
  [place("macos", "Safari"), "safari", "systemMac", "lockdownMac", "lockdownMac"],
  [place("other", "Chrome"), "chrome", "chrome", "blocked", "noMicrophone"],
  [place("other", "Firefox"), "firefox", "firefox", "blockedFirefox", "noMicrophone"],
  [place("other", null), "other", "other", "blocked", "noMicrophone"],
  [place("android", "Chrome"), "android", "systemAndroid", "blocked", "noMicrophone"],
  [place("android", "Edge"), "android", "systemAndroid", "blocked", "noMicrophone"],
  [place("android", "Firefox"), "androidFirefox", "systemAndroid", "blockedFirefox", "noMicrophone"],
  [place("android", "Samsung Internet"), "samsung", "systemAndroid", "blocked", "noMicrophone"],
  [place("android", "Chrome", installed), "androidInstalled", "systemAndroid", "blocked", "noMicrophone"],
  [place("ios", "Safari"), "iphone", "iphoneApp", "lockdown", "lockdown"],
  [place("ios", "Chrome"), "iphoneApp", "iphoneApp", "lockdown", "lockdown"],
  [place("ios", "Firefox"), "iphoneApp", "iphoneApp", "lockdown", "lockdown"],
  [place("ios", null, installed), "homeScreen", "iphoneApp", "lockdown", "lockdown"],
  [place("android", "Chrome", instagram), "app", "app", "app", "app"],
  [place("ios", null, instagram), "app", "app", "app", "app"],
  [place("android", "Chrome", { app: "" }), "app", "app", "app", "app"],
];
const TROUBLES: readonly CallTrouble[] = ["denied", "denied_by_system", "no_connections", "no_microphone"];

describe("the advice", () => {
  test.each(ADVICE)("fits %o", (where, ...texts) => {
    expect(TROUBLES.map((trouble) => adviceFor(trouble, where).text.split(".")[1])).toEqual(texts);
    expect(adviceFor("insecure", where)).toEqual({ text: "cannotCall.insecure", actions: [] });
    expect(adviceFor("forbidden", where)).toEqual({ text: "cannotCall.forbidden", actions: ["tab"] });
  });

  test("opens the phone's browser where an app lets it, and offers the link everywhere else", () => {
    expect(adviceFor("denied", place("android", "Chrome", instagram))).toMatchObject({ actions: ["browser", "copy"] });
    expect(adviceFor("no_microphone", place("ios", null, instagram))).toMatchObject({ actions: ["copy"] });
  });
});
