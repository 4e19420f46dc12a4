/** The country in the browser's languages, such as GH of en-GH; undefined without one. */
export function browserCountry(): string | undefined {
  return navigator.languages.map((tag) => new Intl.Locale(tag).region).find((region) => region !== undefined);
}
