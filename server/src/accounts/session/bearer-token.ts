const TOKEN = /^fl_[A-Za-z0-9_-]{43}$/;

/** The token of an `Authorization: Bearer` header, or null if it has none of ours. */
export function bearerToken(header: string | undefined): string | null {
  const token = /^bearer ([^\s]+)$/i.exec(header ?? "")?.[1];
  return token !== undefined && TOKEN.test(token) ? token : null;
}
