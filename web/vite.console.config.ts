import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";
import { buildTargets } from "./src/browser/browser-floor.ts";
import { flagsFolder } from "./build/images.ts";
import { styleModules } from "./build/styles.ts";
import { unopenedNotice } from "./build/app-page.ts";

/**
 * The operators' console: a build of its own, so that no chunk of the callers' app depends on it. Built after the app's files, into
 * the same folder.
 */
export default defineConfig({
  root: import.meta.dirname,
  plugins: [react(), unopenedNotice(["en"])],
  publicDir: false,
  css: { modules: styleModules },
  // The app's files are in the same folder.
  define: { __FLAGS_FOLDER__: JSON.stringify(flagsFolder) },
  build: {
    target: buildTargets,
    outDir: "dist",
    emptyOutDir: false,
    assetsDir: "assets/operator",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: {
      input: ["operator.html"],
      // One file, which begins with the order of the layers. In a page's own file it would come after the styles that it orders.
      output: { codeSplitting: { groups: [{ name: "console-styles", test: /\/web\/src\/.*\.css$/ }] } },
    },
  },
});
