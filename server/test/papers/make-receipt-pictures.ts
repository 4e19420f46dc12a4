import { mkdir, writeFile } from "node:fs/promises";
import { receiptPdf } from "../../src/billing/documents/pdf/receipt-pdf.ts";
import { drawPdf } from "./read-pdf.ts";
import { sampleReceipt } from "./sample-receipt.ts";

/** Draws docs/pictures/receipts, as Firefox shows these receipts: `node server/test/papers/make-receipt-pictures.ts`. */
const FOLDER = "docs/pictures/receipts";
const SCALE = 1.25;

const FIRM = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft für Ferngespräche mbH & Co. KG aA";
const ACCOUNTS = "rechnungseingang.kreditorenbuchhaltung@donaudampfschifffahrtselektrizitaetenhauptbetriebswerk.example.com";

const RECEIPTS = [
  { name: "arabic", language: "ar", buyer_name: "محمد عبد الله (أبو علي) Smith-Jones" },
  { name: "hindi", language: "hi", buyer_name: "श्रीकृष्ण त्रिपाठी" },
  { name: "hebrew", language: "en", buyer_name: "יוסף (ספי) כהן־לוי" },
  { name: "thai", language: "en", buyer_name: "สมชาย น้ำทิพย์" },
  { name: "chinese", language: "en", buyer_name: "王小明" },
  { name: "long-firm", language: "fr", buyer_name: FIRM, buyer_email: ACCOUNTS },
] as const;

await mkdir(FOLDER, { recursive: true });
for (const { name, language, ...buyer } of RECEIPTS)
  await writeFile(`${FOLDER}/${name}.png`, await drawPdf(await receiptPdf(sampleReceipt(buyer), language), SCALE));
