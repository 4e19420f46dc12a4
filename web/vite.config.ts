import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { commonChunk } from "./build/common-chunk.ts";
import { flags, flagsFolder } from "./build/flags.ts";
import { leanerPackages } from "./build/leaner-packages.ts";
import { openingScripts } from "./build/opening-scripts.ts";
import { preloadFont } from "./build/preload-font.ts";
import { serviceWorker } from "./build/service-worker.ts";

/** Where the development server of this workspace (`npm run dev -w @farline/web`) sends API calls. */
const serviceOrigin = process.env["SERVICE_ORIGIN"] ?? "http://127.0.0.1:3000";

/** What somebody who calls has to load: nothing that only other pages need is put in with it. */
const APP_AND_DIALER = /web\/src\/(main|features\/dialer\/dialer-page)\.tsx$/;

/** The build needs no inline script, no inline style and no `data:` font, so that the strictest CSP holds. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    leanerPackages(),
    react(),
    tailwindcss(),
    flags(),
    openingScripts(),
    preloadFont("geologica-latin-shrp-normal"),
    serviceWorker(),
  ],
  define: { __FLAGS_FOLDER__: JSON.stringify(flagsFolder) },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    manifest: true,
    rolldownOptions: {
      // The app, the first script of the public pages, and their living parts.
      input: ["index.html", "src/public/start.ts", "src/public/take-over-islands.tsx"],
      output: {
        codeSplitting: {
          groups: [
            {
              name: "react",
              test: /node_modules\/(react|react-dom|scheduler|i18next|react-i18next|use-sync-external-store|html-parse-stringify|void-elements)\//,
              priority: 4,
            },
            {
              // What the first script of a public page shares with the app: it must not wait for React.
              name: commonChunk("first", /web\/src\/public\/start\.ts$/),
              debugName: "first",
              test: /(web\/src\/(text|service|session|browser)|domain\/src)\//,
              minShareCount: 2,
              priority: 5,
            },
            {
              name: commonChunk("shared-public", /web\/src\/public\/take-over-islands\.tsx$/),
              debugName: "shared-public",
              test: /(web\/src\/(ui|text|service|session|browser)|domain\/src|@tabler)\b/,
              minShareCount: 2,
              priority: 3,
            },
            {
              name: "vendor",
              test: /node_modules\/(react-router|react-error-boundary|zod|@tanstack\/(react-query|query-core))\//,
              priority: 2,
            },
            {
              // The schemas that the app and the dialer read by. Making them takes as long as all else that pages share: a task of
              // its own. Before the first one Zod has to be told not to use `eval`.
              name: commonChunk("contract", APP_AND_DIALER),
              debugName: "contract",
              test: /(contract\/src|service\/schemas-without-eval)\b/,
              minShareCount: 2,
              priority: 2,
            },
            {
              name: "contract-more",
              test: /contract\/src\b/,
              minShareCount: 2,
              priority: 0.5,
            },
            {
              // What the app and the dialer have in common with other pages.
              name: commonChunk("shared", APP_AND_DIALER),
              debugName: "shared",
              test: /(web\/src\/(ui|text|service|session|browser|phone\/call\/call-(marker|quality))|domain\/src\/(money|calls\/charge)|@tabler)\b(?!.*(toast-list|passkey))/,
              minShareCount: 2,
              priority: 1,
            },
          ],
        },
      },
    },
  },
  server: { proxy: { "/api": serviceOrigin } },
});
