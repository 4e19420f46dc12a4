import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { buildTargets } from "./src/browser/browser-floor.ts";
import { flags, flagsFolder, iconFiles } from "./build/images.ts";
import { earlyScript, serviceWorker } from "./build/own-scripts.ts";
import { entryFiles, isAlwaysLoaded, smallFiles, smallFilesOfDialer, smallFilesOfPublicPages } from "./build/script-files.ts";
import { shellPages, stylesFirst, unopenedNotice } from "./build/app-page.ts";
import { styleModules } from "./build/styles.ts";
import { languages } from "@farline/domain/languages.ts";
import { thirdPartyNotices } from "./build/third-party-notices.ts";

/** Where the development server of this workspace (`npm run dev -w @farline/web`) sends API calls. */
const serviceOrigin = process.env["SERVICE_ORIGIN"] ?? "http://127.0.0.1:3000";

const notices = thirdPartyNotices();

/** The build needs no inline script, no inline style and no `data:` font, so that the strictest CSP holds. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [
    iconFiles(),
    react(),
    flags(),
    earlyScript(),
    unopenedNotice(languages),
    stylesFirst(),
    shellPages(),
    serviceWorker(),
    notices.build,
  ],
  worker: { plugins: () => [notices.worker()] },
  // The tables that tell mobile from landline are the service's (domain/src/numbers/number-tables.test.ts).
  resolve: { alias: { "libphonenumber-js/max": "libphonenumber-js/min" } },
  css: { modules: styleModules },
  define: { __FLAGS_FOLDER__: JSON.stringify(flagsFolder) },
  build: {
    target: buildTargets,
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false, resolveDependencies: (_file, files) => files.filter((file) => !isAlwaysLoaded(file)) },
    reportCompressedSize: false,
    manifest: true,
    rolldownOptions: {
      // The app, and the two scripts of the public pages.
      input: ["index.html", "src/public/start.ts", "src/public/hydrate-islands.tsx"],
      // The styles that come with the app are one file, not one for each set of pages that shares some.
      output: {
        codeSplitting: {
          groups: [
            entryFiles,
            smallFilesOfPublicPages,
            smallFilesOfDialer,
            smallFiles,
            { name: "app-styles", test: /\/web\/src\/(?:ui|app|styles)\/.*\.css$/ },
          ],
        },
      },
    },
  },
  server: { proxy: { "/api": serviceOrigin } },
});
