import type { Plugin } from "vite";

const IMPORT = /import \{([^}]*)\} from "@tabler\/icons-react";/g;
const ICON = /^Icon\w+$/;

/**
 * Imports each icon from its own file. Through the package's one entry, which imports all icons, the build would think that every
 * page needs every icon.
 */
export function iconFiles(): Plugin {
  return {
    name: "farline-icon-files",
    apply: "build",
    enforce: "pre",
    transform: {
      filter: { id: /\/web\/src\/.*\.tsx?$/, code: "@tabler/icons-react" },
      handler: (code) => code.replace(IMPORT, (_, names: string) => names.split(",").map(importOf).join(" ")),
    },
  };
}

function importOf(listed: string): string {
  const name = listed.trim();
  if (name === "") return "";
  return ICON.test(name)
    ? `import ${name} from "@tabler/icons-react/dist/esm/icons/${name}.mjs";`
    : `import { ${name} } from "@tabler/icons-react";`;
}
