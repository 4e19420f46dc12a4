import { html, type Html } from "../pages/html.ts";
import type { MailboxKind, TestPerson } from "./test-people.ts";

export interface SignInForm {
  readonly email: string;
  readonly mailbox: MailboxKind;
  /** Shown at the email field. */
  readonly error: string | null;
}

const MAILBOXES: readonly { kind: MailboxKind; title: string; text: string }[] = [
  { kind: "google", title: "Google runs the mailbox", text: "Gmail, or a company whose mail is hosted by Google." },
  { kind: "elsewhere", title: "Somebody else runs the mailbox", text: "Google verified the address once, long ago." },
  { kind: "unverified", title: "The address is not verified", text: "Google has never verified the address." },
];

/** The page on which the tester chooses an identity. */
export function signInBody(path: string, person: TestPerson, form: SignInForm): Html {
  return html` <div class="sign-in">
    <h1>Sign in with Google</h1>
    <p class="lead">This page stands in for Google, and these people do not exist. Who do you want to be?</p>
    <form class="card" method="post" action="${path}">
      <h2>A new person</h2>
      <p>Farline has never seen this address.</p>
      <button class="person" type="submit" name="person" value="new"><b>${person.name}</b>${person.email}</button>
    </form>
    <form class="card" method="post" action="${path}" novalidate>
      <h2>Somebody with an address you choose</h2>
      <p>For example the address of an account you have here.</p>
      <div class="fields">
        <div class="wide">
          <label for="email">Email address</label>
          <input
            id="email"
            name="email"
            type="email"
            autocomplete="off"
            value="${form.email}"
            required
            maxlength="254"
            ${form.error !== null && html` aria-invalid="true" aria-describedby="email-error" autofocus`}
          />
          ${form.error !== null && html`<p class="error" id="email-error">${form.error}</p>`}
        </div>
        <fieldset class="wide choices">
          <legend>What Google knows about it</legend>
          ${MAILBOXES.map((one) => mailboxChoice(one, form.mailbox))}
        </fieldset>
      </div>
      <button class="key" type="submit" name="person" value="typed">Continue</button>
    </form>
    <form method="post" action="${path}">
      <button class="quiet-key" type="submit" name="person" value="cancel">Cancel the sign-in</button>
    </form>
  </div>`;
}

/** The page of a sign-in that is expired, finished, or was started in another browser. */
export function goneBody(appUrl: string): Html {
  return html`<div class="card">
    <h1>This sign-in is over</h1>
    <p>It was finished, took too long, or was started in another browser.</p>
    <p><a class="key" href="${appUrl}/login">Start again</a></p>
  </div>`;
}

function mailboxChoice(one: (typeof MAILBOXES)[number], chosen: MailboxKind): Html {
  const id = `mailbox-${one.kind}`;
  return html`<div class="choice">
    <input
      id="${id}"
      type="radio"
      name="mailbox"
      value="${one.kind}"
      aria-describedby="${id}-text"
      ${one.kind === chosen && html` checked`}
    />
    <label for="${id}">${one.title}</label>
    <p class="quiet" id="${id}-text">${one.text}</p>
  </div>`;
}
