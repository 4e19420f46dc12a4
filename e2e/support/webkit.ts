import { PATIENCE_MS } from "@farline/domain/test/patience.ts";
import { test as base, type Page } from "@playwright/test";
import { spawn, type ChildProcess, type StdioOptions } from "node:child_process";
import { existsSync, readdirSync } from "node:fs";
import { createInterface } from "node:readline";
import type { Readable } from "node:stream";
import { Builder, By, type Locator, until, type WebDriver, type WebElement } from "selenium-webdriver";
import { freePortBlock } from "./product.ts";
import { poll } from "./poll.ts";

const SCREEN = "1600x1200x24";
/** Debian's browser of WebKitGTK, which its driver starts. */
const BROWSER = "webkit2gtk-4.1/MiniBrowser";

/** What checks of Playwright's pages need of a page, so that they judge WebKit's too. */
export type JudgedPage = Pick<Page, "evaluate" | "viewportSize">;

/** A window of WebKit in which nobody is signed in. Playwright drives only its own builds of WebKit, so this is WebDriver. */
export class WebKitWindow {
  readonly driver: WebDriver;
  #size = { width: 0, height: 0 };

  constructor(driver: WebDriver) {
    this.driver = driver;
  }

  async open(path: string): Promise<void> {
    await this.driver.get(`${process.env["PRODUCT_URL"]}${path}`);
    // The app replaces the frame that the build drew: an element of it is soon gone.
    await this.until(
      () => document.querySelector("h1") !== null && document.querySelector("[data-shell], [data-placeholder]") === null,
    );
  }

  /** The size of the page, without the window's own bars. */
  async resize(width: number, height: number): Promise<void> {
    const outside = await this.judged.evaluate(() => [outerWidth - innerWidth, outerHeight - innerHeight] as const);
    await this.driver
      .manage()
      .window()
      .setRect({ x: 0, y: 0, width: width + outside[0], height: height + outside[1] });
    await this.until((wanted) => innerWidth === wanted, width);
    this.#size = { width, height };
  }

  /** Waits until a function of the page returns true. */
  async until<A>(isMet: (argument: A) => boolean, argument?: A): Promise<void> {
    const met = () => this.judged.evaluate(isMet as (argument: unknown) => boolean, argument);
    await this.driver.wait(met, PATIENCE_MS, `WebKit: never ${isMet.toString()}`);
  }

  async untilAt(path: string): Promise<void> {
    await this.driver.wait(until.urlIs(`${process.env["PRODUCT_URL"]}${path}`), PATIENCE_MS);
  }

  async text(wanted: string): Promise<WebElement> {
    return await this.#shown(By.xpath(`//*[not(self::script)][contains(normalize-space(text()), ${quoted(wanted)})]`));
  }

  /** The button or link with this text or accessible name. */
  async control(name: string): Promise<WebElement> {
    const named = `normalize-space(.)=${quoted(name)} or @aria-label=${quoted(name)}`;
    return await this.#shown(By.xpath(`//*[self::button or self::a][${named}]`));
  }

  async field(label: string): Promise<WebElement> {
    return await this.#shown(By.xpath(`//*[@id=//label[normalize-space(.)=${quoted(label)}]/@for]`));
  }

  async press(name: string): Promise<void> {
    await (await this.control(name)).click();
  }

  async enter(label: string, text: string): Promise<void> {
    await (await this.field(label)).sendKeys(text);
  }

  /** The page as checks see it that know only Playwright's. */
  get judged(): JudgedPage {
    const evaluate = async (toRun: unknown, argument: unknown): Promise<unknown> => {
      const script = `const done = arguments[1]; Promise.resolve((${String(toRun)})(arguments[0])).then((value) => done({ value }), (error) => done({ error: String(error) }));`;
      const outcome: { value?: unknown; error?: string } = await this.driver.executeAsyncScript(script, argument ?? null);
      if (outcome.error !== undefined) throw new Error(`WebKit: ${outcome.error}`);
      return outcome.value;
    };
    return { evaluate, viewportSize: () => this.#size } as JudgedPage;
  }

  async #shown(where: Locator): Promise<WebElement> {
    const found = await this.driver.wait(until.elementLocated(where), PATIENCE_MS);
    return await this.driver.wait(until.elementIsVisible(found), PATIENCE_MS);
  }
}

/** An XPath string. */
function quoted(text: string): string {
  return text.includes('"') ? `'${text}'` : `"${text}"`;
}

/** `webkit` is a new window for each test; screen and driver are one for all. */
export const test = base.extend<{ webkit: WebKitWindow }, { driverUrl: string }>({
  driverUrl: [
    // Playwright reads a fixture's dependencies from its first parameter.
    // oxlint-disable-next-line no-empty-pattern
    async ({}, use) => {
      const screen = startTied(
        "Xvfb",
        ["-displayfd", "3", "-screen", "0", SCREEN, "-nolisten", "tcp"],
        ["ignore", "ignore", "ignore", "pipe"],
      );
      const display = await firstLine(screen.stdio[3] as Readable);
      const port = await freePortBlock();
      const driver = startTied("WebKitWebDriver", [`--port=${port}`], "ignore", {
        DISPLAY: `:${display}`,
        LANG: "C.UTF-8",
        LANGUAGE: "en_US",
        // Without a graphics card, layers of their own take a third of the processor, and show the same.
        WEBKIT_DISABLE_COMPOSITING_MODE: "1",
      });
      const url = `http://127.0.0.1:${port}`;
      const answers = () =>
        fetch(`${url}/status`).then(
          ({ ok }) => ok,
          () => false,
        );
      await poll(answers).toBe(true);
      await use(url);
      for (const child of [driver, screen]) await stopped(child);
    },
    { scope: "worker" },
  ],
  webkit: async ({ driverUrl }, use, info) => {
    const browser = { binary: browserPath(), args: ["--automation"] };
    const driver = await new Builder()
      .usingServer(driverUrl)
      .withCapabilities({ browserName: "MiniBrowser", "webkitgtk:browserOptions": browser })
      .build();
    await driver.manage().setTimeouts({ script: PATIENCE_MS, pageLoad: PATIENCE_MS });
    await use(new WebKitWindow(driver));
    if (info.errors.length > 0)
      console.log(await driver.getCurrentUrl(), await driver.executeScript("return document.body.innerText"));
    await driver.quit();
  },
});

function browserPath(): string {
  const found = readdirSync("/usr/lib").map((folder) => `/usr/lib/${folder}/${BROWSER}`);
  const path = found.find((one) => existsSync(one));
  if (path === undefined) throw new Error(`No folder of /usr/lib has ${BROWSER}: install Debian's package webkit2gtk-driver.`);
  return path;
}

/** Starts a program that the kernel ends with this process, however that ends. */
function startTied(
  program: string,
  args: readonly string[],
  stdio: StdioOptions,
  env: Record<string, string> = {},
): ChildProcess {
  return spawn("setpriv", ["--pdeathsig", "TERM", program, ...args], { stdio, env: { ...process.env, ...env } });
}

async function firstLine(stream: Readable): Promise<string> {
  for await (const line of createInterface({ input: stream })) return line;
  throw new Error("Xvfb ended before it had a display. Is Debian's package xvfb installed?");
}

async function stopped(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const ended = new Promise((settle) => child.once("exit", settle));
  child.kill("SIGTERM");
  await ended;
}
