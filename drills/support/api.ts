import { PASSWORD } from "@farline/e2e/support/customer.ts";

/** What a new customer sends. */
export function registration(email: string): object {
  return { name: "Grace Mensah", email, password: PASSWORD, password_confirmation: PASSWORD };
}

/** Posts a body as JSON, or gets without one. @param given.token of a customer's session */
export function request(
  url: string,
  { token, body }: { token?: string | undefined; body?: object | undefined } = {},
): Promise<Response> {
  return fetch(url, {
    method: body === undefined ? "GET" : "POST",
    headers: {
      ...(body === undefined ? {} : { "content-type": "application/json" }),
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
}

/** The answer. @throws Error with a refusal */
export async function ask<Answer>(url: string, given: { token?: string; body?: object } = {}): Promise<Answer> {
  const response = await request(url, given);
  if (!response.ok) throw new Error(`${new URL(url).pathname} answered ${response.status}: ${await response.text()}`);
  return (await response.json()) as Answer;
}
