/**
 * The address of a database with the password of `DATABASE_PASSWORD`, which has any characters: in the address they are percent-encoded.
 * @param password undefined or empty: the address has its own, or needs none
 */
export function withDatabasePassword(url: string, password: string | undefined): string {
  // An address that is none is refused where it is read.
  if (!password || !URL.canParse(url)) return url;
  const address = new URL(url);
  address.password = encodeURIComponent(password);
  return address.href;
}
