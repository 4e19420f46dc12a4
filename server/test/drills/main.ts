/** `npm run drill [restore | restart]`. Exits with 2 if a drill finds a fault. */
const [name = "restore"] = process.argv.slice(2);
if (name === "restore") await import("./restore-drill.ts");
else if (name === "restart") await import("./restart-drill.ts");
else throw new Error(`There is no drill "${name}": restore or restart.`);
