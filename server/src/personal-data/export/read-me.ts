import type { Language } from "@farline/contract/languages.ts";

const TEXTS: Readonly<Record<Language, readonly string[]>> = {
  en: [
    "This is a copy of everything that Farline holds about you.",
    "calls.csv: your calls. statement.csv: every change of your balance. Spreadsheet programs open both.",
    "contacts.vcf: your contacts. Phones and address books open it.",
    "receipts: your receipts.",
    "data: all records as JSON, for other programs. Amounts ending in _micros are millionths of a US dollar. Times are UTC.",
    "Passwords, secret keys and signs by which we recognise fraud are left out.",
  ],
  es: [
    "Esta es una copia de todo lo que Farline guarda sobre ti.",
    "calls.csv: tus llamadas. statement.csv: cada cambio de tu saldo. Se abren con una hoja de cálculo.",
    "contacts.vcf: tus contactos. Se abre con el teléfono o la agenda.",
    "receipts: tus recibos.",
    "data: todos los registros en JSON, para otros programas. Los importes que acaban en _micros son millonésimas de dólar estadounidense. Las horas son UTC.",
    "No incluye contraseñas, claves secretas ni las señales con las que detectamos el fraude.",
  ],
  fr: [
    "Voici une copie de tout ce que Farline conserve sur vous.",
    "calls.csv : vos appels. statement.csv : chaque mouvement de votre solde. Les deux s’ouvrent avec un tableur.",
    "contacts.vcf : vos contacts. Il s’ouvre avec un téléphone ou un carnet d’adresses.",
    "receipts : vos reçus.",
    "data : tous les enregistrements en JSON, pour d’autres programmes. Les montants finissant par _micros sont des millionièmes de dollar américain. Les heures sont en UTC.",
    "Les mots de passe, les clés secrètes et les signes qui nous servent à repérer la fraude n’y sont pas.",
  ],
  hi: [
    "Farline के पास आपके बारे में जो कुछ है, यह उसकी प्रति है।",
    "calls.csv: आपकी कॉल। statement.csv: आपके बैलेंस का हर बदलाव। दोनों स्प्रेडशीट में खुलती हैं।",
    "contacts.vcf: आपके संपर्क। यह फ़ोन या पता-पुस्तिका में खुलती है।",
    "receipts: आपकी रसीदें।",
    "data: सभी रिकॉर्ड JSON में, दूसरे प्रोग्रामों के लिए। _micros वाली रकम अमेरिकी डॉलर के दस लाखवें हिस्से में है। समय UTC में है।",
    "पासवर्ड, गुप्त कुंजियाँ और धोखाधड़ी पहचानने के संकेत इसमें नहीं हैं।",
  ],
  ar: [
    "هذه نسخة من كل ما يحفظه Farline عنك.",
    "calls.csv: مكالماتك. statement.csv: كل تغيّر في رصيدك. يُفتح الملفان ببرنامج جداول.",
    "contacts.vcf: جهات اتصالك. يُفتح في الهاتف أو دفتر العناوين.",
    "receipts: إيصالاتك.",
    "data: كل السجلات بصيغة JSON لبرامج أخرى. المبالغ المنتهية بـ _micros هي أجزاء من مليون من الدولار الأمريكي. الأوقات بالتوقيت العالمي UTC.",
    "لا تتضمن كلمات المرور ولا المفاتيح السرية ولا العلامات التي نكشف بها الاحتيال.",
  ],
};

/** The note in a customer's copy about its files. */
export function readMe(language: Language): string {
  return `\uFEFF${TEXTS[language].join("\r\n\r\n")}\r\n`;
}
