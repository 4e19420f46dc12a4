import tailwindcss from "@tailwindcss/vite";
import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { flags, flagsFolder } from "./build/flags.ts";
import { preloadFont } from "./build/preload-font.ts";

/** Where `npm run dev` sends API calls. */
const serviceOrigin = process.env["SERVICE_ORIGIN"] ?? "http://127.0.0.1:3000";

/** The build needs no inline script, no inline style and no `data:` font, so that the strictest CSP holds. */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), tailwindcss(), flags(), preloadFont("geologica-latin-shrp-normal")],
  define: { __FLAGS_FOLDER__: JSON.stringify(flagsFolder) },
  build: {
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            {
              name: "vendor",
              test: /node_modules\/(react|react-dom|scheduler|react-router|react-error-boundary|i18next|react-i18next|zod|@tanstack)\//,
              priority: 2,
            },
            {
              name: "shared",
              test: /(web\/src\/(ui|lib)|contract\/src|domain\/src\/money|@tabler)\b(?!.*(toast-list|phone-text))/,
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
