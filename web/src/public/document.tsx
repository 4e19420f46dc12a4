import { writing } from "@farline/domain/languages.ts";
import type { PageReader } from "@farline/contract/public-pages.ts";
import type { ReactNode } from "react";

/** Addresses of the build's files that a page refers to. */
export interface PageAssets {
  /** The imports of a page's first script in execution order, then the script itself. */
  readonly start: readonly string[];
  readonly styles: readonly string[];
  readonly font: string | null;
  readonly icon: string;
  /** The imports of the islands' script in execution order, then the script itself. */
  readonly islands: readonly string[];
}

interface PageHead {
  readonly title: string;
  readonly description: string;
  /** The page's absolute address; null for a page that search engines must not index. */
  readonly canonical: string | null;
  /** Address of the preview image for other sites. */
  readonly picture: string;
  readonly structuredData: object | null;
}

interface DocumentProps {
  readonly reader: PageReader;
  readonly head: PageHead;
  readonly assets: PageAssets;
  /** Texts of the islands. */
  readonly texts: object;
  readonly children: ReactNode;
}

/** The whole page. Nothing in it runs inline: scripts are files, and the rest is data. */
export function Document({ reader, head, assets, texts, children }: DocumentProps) {
  const { language } = reader;
  const { title, description, canonical, picture, structuredData } = head;
  return (
    <html
      lang={language}
      dir={writing[language].direction}
      data-theme={reader.theme ?? undefined}
      data-text-size={reader.textSize ?? undefined}
      data-signed-in={reader.signedIn ? "" : undefined}
    >
      <head>
        <meta charSet="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1, viewport-fit=cover" />
        <meta name="format-detection" content="telephone=no" />
        <meta name="color-scheme" content="light dark" />
        <meta name="theme-color" content="#0b2830" />
        <title>{title}</title>
        <meta name="description" content={description} />
        {canonical === null ? <meta name="robots" content="noindex" /> : <link rel="canonical" href={canonical} />}
        {assets.styles.map((href) => (
          <link key={href} rel="stylesheet" href={href} />
        ))}
        {assets.font !== null && <link rel="preload" as="font" type="font/woff2" crossOrigin="" href={assets.font} />}
        <link rel="icon" href={assets.icon} type="image/svg+xml" />
        <meta property="og:type" content="website" />
        <meta property="og:site_name" content="Farline" />
        <meta property="og:title" content={title} />
        <meta property="og:description" content={description} />
        {canonical !== null && <meta property="og:url" content={canonical} />}
        <meta property="og:image" content={picture} />
        <meta property="og:image:width" content="1200" />
        <meta property="og:image:height" content="630" />
        <meta name="twitter:card" content="summary_large_image" />
        {structuredData !== null && (
          <script type="application/ld+json" dangerouslySetInnerHTML={{ __html: safeJson(structuredData) }} />
        )}
        {[...new Set([...assets.start.slice(0, -1), ...assets.islands.slice(0, -1)])].map((href) => (
          <link key={href} rel="modulepreload" href={href} fetchPriority="low" />
        ))}
        <script type="module" src={assets.start.at(-1)} fetchPriority="low" />
        <script type="module" src={assets.islands.at(-1)} fetchPriority="low" />
      </head>
      <body>
        {children}
        <script type="application/json" data-texts="" dangerouslySetInnerHTML={{ __html: safeJson(texts) }} />
      </body>
    </html>
  );
}

/** JSON that is safe inside a script element: it can neither close the element nor start a comment. */
export function safeJson(value: unknown): string {
  return JSON.stringify(value).replaceAll("<", "\\u003c");
}
