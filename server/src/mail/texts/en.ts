import type { MailTexts } from "./mail-texts.ts";

export const en: MailTexts = {
  direction: "ltr",
  greeting: "Hello {name},",
  greetingWithoutName: "Hello,",
  linkHint: "If the button does not work, open this address:",
  help: "Questions? Write to {support}.",
  firstCallFree: "Your first call is then free, up to {firstCall}.",
  footer: {
    account: "You get this email because you have a Farline account.",
    newsletter: "You get this email because this address was entered for Farline rate updates.",
  },
  links: {
    verify_email: {
      subject: "Confirm your email address",
      paragraphs: [
        "Thank you for choosing Farline. Please confirm that this email address is yours.",
        "The link works for 24 hours.",
      ],
      button: "Confirm my address",
      note: "Didn’t sign up with Farline? Ignore this email. Nothing happens without the link.",
    },
    reset_password: {
      subject: "Choose a new password",
      paragraphs: [
        "We received a request to reset the password of your Farline account.",
        "The link works once, for 30 minutes. When you set the new password, all your devices are signed out and passkeys and Google are removed.",
      ],
      button: "Choose a new password",
      note: "Wasn’t you? Ignore this email. Your password stays as it is.",
    },
    change_email_new: {
      subject: "Confirm your new email address",
      paragraphs: [
        "You asked to use {newEmail} for your Farline account. Please confirm that this address is yours.",
        "If we also wrote to your current address, open the link in that email as well. Both links work for 24 hours.",
      ],
      button: "Confirm the new address",
      note: "Didn’t ask for this? Ignore this email. Nothing changes without the link.",
    },
    change_email_old: {
      subject: "Confirm your email change",
      paragraphs: [
        "We received a request to change the email address of your Farline account to {newEmail}.",
        "It changes once you confirm it here and at the new address. Both links work for 24 hours.",
      ],
      button: "Confirm the change",
      note: "Wasn’t you? Don’t open the link. Sign in and choose a new password now.",
    },
    export_ready: {
      subject: "Your data is ready",
      paragraphs: [
        "You asked for a copy of everything that Farline holds about you. It is ready to download.",
        "The link works once, for {days} days, and only while you are signed in to your account. Then we delete the file.",
      ],
      button: "Download my data",
      note: "Didn’t ask for this? Don’t forward this email. Sign in and choose a new password.",
    },
    newsletter_confirm: {
      subject: "Confirm your rate updates",
      paragraphs: ["Please confirm that you want Farline rate updates at this address."],
      button: "Send me rate updates",
      note: "Didn’t ask for this? Ignore this email. We won’t write again.",
    },
    newsletter_welcome: {
      subject: "You will get our rate updates",
      paragraphs: ["Thank you. From now on, we send Farline rate updates to this address.", "You can unsubscribe at any time:"],
      button: "Unsubscribe",
      note: "Keep this email if you want to have the link at hand. Every update has one, too.",
    },
  },
  notice: {
    when: "When: {when}",
    device: "Device: {device}",
    button: "Choose a new password",
    note: "Wasn’t you? Choose a new password now. That signs out every device.",
    removed: "We also removed anything somebody else could have set up: {things}.",
    things: {
      email_change: "a change of email address",
      passkeys: "passkeys",
      google: "a Google account",
      authenticator: "two-step verification",
      auto_top_up: "the automatic top-up",
      saved_cards: "saved cards",
      live_calls: "running calls",
      caller_number: "the number that your calls show",
    },
    codeStays:
      "Two-step verification is still on: signing in asks for a code from your authenticator app. If you did not set it up, contact us.",
    events: {
      password_changed: {
        subject: "Your password was changed",
        text: "The password of your Farline account was changed. All other devices were signed out.",
      },
      password_reset: {
        subject: "You have a new password",
        text: "A new password was set for your Farline account through a link in an email. All devices were signed out.",
      },
      address_proved: {
        subject: "You confirmed your email address with Google",
        text: "You can now sign in to your Farline account with Google. Somebody had signed up with your address before and never confirmed it. That password no longer works, and all devices were signed out.",
      },
      email_changed: {
        subject: "Your email address was changed",
        text: "Your Farline account has a new email address. We no longer write to this one.",
      },
      session_stopped: {
        subject: "We signed out one of your devices",
        text: "Your Farline sign-in was used from a browser that it does not belong to. For your security, we ended it. This can happen when you clear your cookies.",
      },
      google_linked: {
        subject: "You can now sign in with Google",
        text: "A Google account was connected to your Farline account.",
      },
      google_unlinked: {
        subject: "Sign-in with Google was removed",
        text: "The Google account was disconnected from your Farline account.",
      },
      two_factor_on: {
        subject: "Two-step verification is on",
        text: "From now on, signing in to your Farline account also asks for a code from your authenticator app.",
      },
      two_factor_off: {
        subject: "Two-step verification is off",
        text: "Signing in to your Farline account no longer asks for a code from an authenticator app.",
      },
      recovery_codes_new: {
        subject: "You have new recovery codes",
        text: "New recovery codes were created for your Farline account. The old ones no longer work.",
      },
      passkey_added: {
        subject: "A passkey was added",
        text: "A passkey was added to your Farline account. It can be used to sign in.",
      },
      passkey_removed: {
        subject: "A passkey was removed",
        text: "A passkey was removed from your Farline account. It can no longer be used to sign in.",
      },
      limits_loosened: {
        subject: "Your own limits allow more now",
        text: "Your own limits for calls were changed or removed in your Farline account: calls can now cost more, or reach more countries.",
      },
      caller_number_added: {
        subject: "Your calls show another number now",
        text: "A phone number was confirmed in your Farline account. The people you call see it now, and who calls back reaches it.",
      },
    },
  },
  account: {
    button: "Contact us",
    locked: {
      subject: "We locked your account for calls and payments",
      because: {
        payment: "A card payment on your Farline account needs a closer look.",
        calls: "The calls from your Farline account look unusual, and we want to be sure that it is you.",
        owner: "You asked us to lock your Farline account.",
        review: "A person has to check something about your Farline account.",
      },
      text: "Until then you cannot call or top up. You can still sign in and see your calls and contacts.",
      note: "Contact us and we will look into it soon.",
      paymentNote: "Contact us and we will look into it soon. Please contact us before you ask your bank to return a payment.",
    },
    events: {
      account_unfrozen: {
        subject: "Your account is open again",
        text: "We checked your Farline account. You can call and top up again.",
        note: "Thank you for your patience. If something still does not work, contact us.",
      },
      caller_number_removed: {
        subject: "Your calls no longer show one of your numbers",
        text: "Somebody told us that a number that your calls showed belongs to them. We removed it from your Farline account. The people you call see another number now.",
        note: "If the number is yours, contact us.",
      },
    },
  },
  cases: {
    topic: "About: {topic}",
    topics: {
      sound: "Calls and sound",
      charge: "A charge",
      number: "A number I can’t call",
      payment: "A payment or refund",
      account: "My account",
      other: "Something else",
    },
    button: "See my questions",
    received: {
      subject: "We received your question {number}",
      text: "Thank you for writing. A person will read your question and answer by email.",
      note: "If this wasn’t you, ignore this email.",
    },
    answered: {
      subject: "Our answer to your question {number}",
      note: "If this does not help, ask again on the same page.",
    },
  },
  closing: {
    subject: "Your account will be deleted",
    paragraphs: [
      "You asked us to delete your Farline account. It is closed for calls and payments, and all your devices are signed out.",
      "We delete it on {when}. Until then you can keep it: sign in and choose Keep my account.",
    ],
    button: "Sign in",
    note: "Wasn’t you? Sign in, keep the account and choose a new password.",
  },
  erased: {
    subject: "Your account is deleted",
    paragraphs: [
      "Your Farline account is deleted, with your name, contacts, sign-ins and saved cards.",
      "We keep the records of payments and charges that the law asks for, without your name and without full phone numbers. This is our last email to you.",
    ],
    button: "What we keep and why",
    note: "Thank you for calling with us. You can sign up again at any time.",
  },
  paymentFailed: {
    button: "See my billing page",
    events: {
      declined: {
        subject: "Your automatic top-up did not work",
        text: "Your card did not pay the automatic top-up of {amount}. We will try once more when your credit is low.",
        note: "Check your card, or save another one. You can also top up yourself.",
      },
      stopped: {
        subject: "Your automatic top-up has stopped",
        text: "Your card did not pay the automatic top-up of {amount}, for the second time. We will not try again.",
        note: "To continue, save another card or turn automatic top-up on again on your billing page.",
      },
      authentication_required: {
        subject: "Your bank wants you to confirm",
        text: "Your bank did not allow the automatic top-up of {amount}: it wants you to confirm the payment yourself. The automatic top-up has stopped until then.",
        note: "Open your billing page and make a payment. Your bank will ask you to confirm it. With some cards this happens every time: another card may be better.",
      },
      not_arrived: {
        subject: "Your payment did not arrive",
        text: "We did not receive your payment of {amount}, so no credit was added.",
        note: "You can try again, also with another way to pay. If money has left your account, write to us.",
      },
    },
  },
  receipt: {
    kinds: {
      payment: {
        subject: "Your receipt {number}",
        text: "Thank you. We received {amount}, and your credit is ready to use.",
      },
      auto_top_up: {
        subject: "Your automatic top-up, receipt {number}",
        text: "Your balance was low, so we topped it up with {amount} from your saved card, as you asked us to.",
      },
      refund: {
        subject: "Your refund, receipt {number}",
        text: "We sent {amount} back the way you paid it. Your bank may take 5 to 10 days to show it.",
      },
      withdrawal: {
        subject: "Your withdrawal, receipt {number}",
        text: "We sent {amount} of unused credit back the way you paid it. Your bank may take 5 to 10 days to show it.",
      },
      refund_returned: {
        subject: "A refund came back, receipt {number}",
        text: "Our refund of {amount} could not be delivered. The amount is back in your balance.",
      },
    },
    facts: {
      number: "Receipt: {number}",
      at: "Date: {when}",
      amount: "Amount: {amount}",
      tax: "Tax included: {amount} ({percent} %)",
      bonus: "Bonus credit: {amount}",
      credited: "Credit received: {amount}",
      card: "Card: {card}",
      seller: "Seller: {seller}",
    },
    sample: "This is a sample from a sandbox. No real money moved.",
    button: "See the receipt",
    note: "On its page you can print it or save it as a PDF file. If something is wrong, contact us.",
  },
};
