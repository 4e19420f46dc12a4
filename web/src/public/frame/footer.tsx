import type { SiteFacts } from "@farline/contract/public-pages.ts";
import {
  IconBrandFacebook,
  IconBrandInstagram,
  IconBrandLinkedin,
  IconBrandX,
  IconBrandYoutube,
  IconWorld,
} from "@tabler/icons-react";
import type { ReactElement, ReactNode } from "react";
import { useTranslation } from "react-i18next";
import mark from "../../assets/mark-yellow.svg";
import { Icon } from "../../ui/icon.tsx";
import { SellerFacts } from "../../ui/money/seller-line.tsx";
import { classNames } from "../../ui/class-names.ts";
import * as styles from "./footer.module.css";

interface FooterProps {
  readonly site: SiteFacts;
  /** The newsletter form. */
  readonly newsletter: ReactElement;
  readonly readerChoices: ReactElement;
  readonly year: number;
}

/** The footer of every public page. Every link leads to a page that exists. */
export function Footer({ site, newsletter, readerChoices, year }: FooterProps) {
  const { t } = useTranslation("public");
  return (
    <footer className={classNames(styles.footer, "on-panel")}>
      <div className="page">
        <div className={styles.grid}>
          <div className={styles.brand}>
            <a className="brand" href="/" aria-label={t("home")}>
              <img src={mark} alt="" width="36" height="36" loading="lazy" />
              <span>{t("brand")}</span>
            </a>
            <p className="muted small">{t("footer.motto")}</p>
            <SocialLinks links={site.socialLinks} />
            {readerChoices}
          </div>
          <Column title={t("footer.product")}>
            <FooterLink href="/#features" text={t("features")} />
            <FooterLink href="/#how-it-works" text={t("howItWorks")} />
            <FooterLink href="/rates" text={t("rates")} />
            <FooterLink href="/quality" text={t("footer.quality")} />
            <FooterLink href="/register" text={t("getStarted")} />
          </Column>
          <Column title={t("footer.company")}>
            <FooterLink href="/about" text={t("footer.about")} />
            <FooterLink href="/contact" text={t("footer.contact")} />
          </Column>
          <Column title={t("footer.support")}>
            <FooterLink href="/help" text={t("footer.help")} />
            <FooterLink href="/emergency-calls" text={t("footer.emergency")} />
            <FooterLink href="/status" text={t("footer.status")} />
          </Column>
          <Column title={t("footer.legal")}>
            <FooterLink href="/terms" text={t("footer.terms")} />
            <FooterLink href="/privacy" text={t("footer.privacy")} />
            <FooterLink href="/third-party-notices.txt" text={t("footer.notices")} />
          </Column>
          {newsletter}
        </div>
        <div className={styles.seller}>
          <SellerFacts seller={site.seller} />
        </div>
        <div className={styles.legal}>
          <p>{t("footer.copyright", { year })}</p>
          <p>{t("footer.notEmergency")}</p>
        </div>
      </div>
    </footer>
  );
}

function Column({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <nav aria-label={title}>
      <h2>{title}</h2>
      <ul>{children}</ul>
    </nav>
  );
}

function FooterLink({ href, text }: { readonly href: string; readonly text: string }) {
  return (
    <li>
      <a href={href}>{text}</a>
    </li>
  );
}

const NETWORKS = [
  { host: "facebook.com", name: "Facebook", icon: IconBrandFacebook },
  { host: "instagram.com", name: "Instagram", icon: IconBrandInstagram },
  { host: "youtube.com", name: "YouTube", icon: IconBrandYoutube },
  { host: "linkedin.com", name: "LinkedIn", icon: IconBrandLinkedin },
  { host: "x.com", name: "X", icon: IconBrandX },
] as const;

/** The operator's profiles on other sites, if any. */
function SocialLinks({ links }: { readonly links: readonly string[] }) {
  const { t } = useTranslation("public");
  if (links.length === 0) return null;
  return (
    <div className={styles.social}>
      {links.map((link) => {
        const { hostname } = new URL(link);
        const known = NETWORKS.find(({ host }) => hostname === host || hostname.endsWith(`.${host}`));
        return (
          <a key={link} href={link} rel="me noreferrer" aria-label={t("footer.social", { network: known?.name ?? hostname })}>
            <Icon of={known?.icon ?? IconWorld} />
          </a>
        );
      })}
    </div>
  );
}
