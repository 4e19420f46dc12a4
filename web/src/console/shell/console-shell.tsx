import { IconDots, IconSearch } from "@tabler/icons-react";
import { type ReactNode, useEffect, useState } from "react";
import { roleWords } from "@farline/contract/operator/words/words.ts";
import { NavLink, useLocation, useNavigate } from "react-router";
import mark from "../../assets/mark-yellow.svg";
import { useMedia } from "../../browser/use-media.ts";
import { Button } from "../../ui/button.tsx";
import { classNames } from "../../ui/class-names.ts";
import { Icon } from "../../ui/icon.tsx";
import { useDisclosure } from "../../ui/use-disclosure.ts";
import { type ConsolePage, consolePages, pageGroups } from "../console-pages.ts";
import { consoleRequest } from "../console-request.ts";
import { useConsoleSession, useSignedIn } from "../console-session.tsx";
import { hasSearchKey, type SearchState, useSearchKey } from "../lookup/use-search-key.ts";
import { useQueueCounts } from "../queue/queue-kinds.ts";
import { Freshness } from "./freshness.tsx";
import * as styles from "./shell.module.css";
import { TitlePlace, ZoneSwitch } from "./top-bar.tsx";

const [QUEUE, SEARCH] = ["/operator/queue", "/operator/search"];
const PHONE = "(max-width: 47.99rem)";
/** Beside "More" on a phone. */
const TABS: readonly string[] = ["/operator/overview", "/operator/live", QUEUE, SEARCH];

/** The frame around every page: navigation, the page's title, how old its figures are, the search and the clock's zone. */
export function ConsoleShell({ children }: { readonly children: ReactNode }) {
  const [place, setPlace] = useState<HTMLElement | null>(null);
  const isPhone = useMedia(PHONE);
  const sheet = useDisclosure();
  const shown = useShownPages();
  const waiting = useQueueCounts().reduce((sum, one) => sum + one.waiting, 0);
  useSearchKey();
  return (
    <div className={styles.app}>
      <a className="skip" href="#main">
        Skip to content
      </a>
      {!isPhone && <Rail pages={shown} waiting={waiting} />}
      <div className={styles.column} inert={sheet.open}>
        <header className={classNames(styles.top, isPhone && "on-panel")}>
          {isPhone && <img src={mark} alt="" width="28" height="28" />}
          <div ref={setPlace} className={styles.titlePlace} />
          <Freshness />
          {!isPhone && shown.some(({ path }) => path === SEARCH) && <SearchBox />}
          {!isPhone && <ZoneSwitch />}
        </header>
        <TitlePlace value={place}>
          <main className={styles.main} id="main">
            {children}
          </main>
        </TitlePlace>
      </div>
      {isPhone && <Tabs pages={shown} waiting={waiting} sheet={sheet} />}
    </div>
  );
}

function useShownPages(): readonly ConsolePage[] {
  const { rights } = useConsoleSession();
  return consolePages.filter(({ right, title }) => title !== null && rights.includes(right));
}

interface NavigationProps {
  readonly pages: readonly ConsolePage[];
  /** In the queue. */
  readonly waiting: number;
}

/** All pages in their groups, beside the page. */
function Rail({ pages, waiting }: NavigationProps) {
  return (
    <nav className={classNames(styles.rail, "on-panel")} aria-label="Console">
      <span className={styles.brand}>
        <img src={mark} alt="" width="30" height="30" />
        <span>Farline</span>
      </span>
      <div className={styles.pages}>
        {pageGroups.map((group) => (
          <Group key={group} name={group} pages={pages.filter((one) => one.group === group)} waiting={waiting} />
        ))}
      </div>
      <Who />
    </nav>
  );
}

function Group({ name, pages, waiting }: NavigationProps & { readonly name: string }) {
  if (pages.length === 0) return null;
  return (
    <>
      {name !== "" && <p>{name}</p>}
      {pages.map((page) => (
        <PageLink key={page.path} page={page} count={page.path === QUEUE ? waiting : 0} className={styles.link} />
      ))}
    </>
  );
}

interface PageLinkProps {
  readonly page: ConsolePage;
  readonly count: number;
  readonly className: string | undefined;
  readonly onClick?: () => void;
}

function PageLink({ page: { path, title, icon }, count, className, onClick }: PageLinkProps) {
  return (
    <NavLink className={className} to={path} {...(onClick && { onClick })}>
      {icon !== null && <Icon of={icon} />}
      <span>{title}</span>
      {count > 0 && (
        <>
          {" "}
          <span className={styles.count}>{count}</span>
        </>
      )}
    </NavLink>
  );
}

interface TabsProps extends NavigationProps {
  readonly sheet: ReturnType<typeof useDisclosure>;
}

/** On a phone: the pages of a day at the foot, and all others in a sheet that leaves the page in sight. Its first link takes the focus. */
function Tabs({ pages, waiting, sheet: { open, region, key, toggle, close } }: TabsProps) {
  const { pathname } = useLocation();
  const tabs = pages.filter(({ path }) => TABS.includes(path));
  const others = pages.filter(({ path }) => !TABS.includes(path));
  useEffect(() => {
    if (open) region.current?.querySelector("a")?.focus();
  }, [open, region]);
  return (
    <div ref={region}>
      {open && (
        <div className={styles.sheet} id="more-pages" role="dialog" aria-label="More">
          <nav aria-label="More pages">
            {others.map((page) => (
              <PageLink key={page.path} page={page} count={0} className={styles.sheetLink} onClick={close} />
            ))}
          </nav>
          <ZoneSwitch />
          <Who />
        </div>
      )}
      <nav className={styles.tabs} aria-label="Console">
        {tabs.map((page) => (
          <PageLink
            key={page.path}
            page={{ ...page, title: page.tab ?? page.title }}
            count={page.path === QUEUE ? waiting : 0}
            className={styles.tab}
            onClick={close}
          />
        ))}
        <button
          ref={key}
          type="button"
          className={styles.tab}
          aria-expanded={open}
          aria-controls={open ? "more-pages" : undefined}
          data-current={others.some(({ path }) => pathname.startsWith(path)) || undefined}
          onClick={toggle}
        >
          <Icon of={IconDots} />
          <span>More</span>
        </button>
      </nav>
    </div>
  );
}

/** Leads to the search, as the key `/` does. Not on the search itself, which has its own box. */
function SearchBox() {
  const navigate = useNavigate();
  const { pathname } = useLocation();
  if (pathname === SEARCH) return null;
  const open = () => {
    const state: SearchState = { focusedAt: performance.now() };
    void navigate(SEARCH, { state });
  };
  return (
    <button type="button" className={styles.find} onClick={open}>
      <Icon of={IconSearch} />
      <span>Name, mail, number, payment, call</span>
      {hasSearchKey() && <kbd aria-label="key: slash">/</kbd>}
    </button>
  );
}

function Who() {
  const { operator } = useConsoleSession();
  const signedIn = useSignedIn();
  const signOut = async () => {
    await consoleRequest("POST /api/operator/sign-out").catch(() => undefined);
    signedIn(null);
  };
  return (
    <div className={styles.who}>
      <strong>{operator.name}</strong>
      <span>{roleWords[operator.role]}</span>
      <Button size="sm" onClick={() => void signOut()}>
        Sign out
      </Button>
    </div>
  );
}

/** The dark bar at the top while nobody is signed in. */
export function ConsoleBar() {
  return (
    <header className="on-panel">
      <div className={classNames(styles.bar, "page")}>
        <span className="brand">
          <img src={mark} alt="" width="36" height="36" />
          <span>Farline</span>
        </span>
      </div>
    </header>
  );
}
